/**
 * How far a machine may differ from a profile of its kind. Parameters with a common cause, such as the host's memory,
 * form a group that errs as a whole: nine of ten machines take at most this many times as long as the profile says, or
 * are at most as many times as fast. `node bench/run.mjs intervals --derive` measures both columns on one half of the
 * recorded trials' machines, and tests them on the other half. There the calibrated profiles of 20 H200 machines differ
 * by about as much (1.25 times in host memory, 1.02 on the link); the rest is the simulator's own error.
 */
import { rememberedBy } from '../../rememberedBy.ts';
import type { CostModel } from '../costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../profile/registry.ts';
import type { Point } from '../profile/schema.ts';
import { profileCosts } from './profileCosts.ts';

interface SpreadGroup {
  readonly name: string;
  /** Matches names of parameters. */
  readonly of: RegExp;
  /** Factor for a profile of the machine's kind. */
  readonly kind: number;
  /**
   * Larger factor towards slower machines, if the recorded hosts are skewed: the smallest ones with which nine of ten
   * makespans of seven hosts lie inside (test/fixtures/blind to blind5, and two slow hosts of 2026-11-30).
   */
  readonly slowerKind?: number;
  /** Factor for a profile calibrated on the machine. */
  readonly calibrated: number;
  /** Factor for costs shown by the run's rows. */
  readonly run: number;
}

export const spreadGroups: readonly SpreadGroup[] = [
  {
    name: 'host memory',
    of: /^managed\.|^host\.(?!wakeNs)|^copies\.(h2d|d2h)\.pageable$|^memory\.(pin|unpin)$/,
    kind: 1.52,
    slowerKind: 2,
    calibrated: 1.52,
    run: 1.3,
  },
  {
    name: 'host calls',
    of: /^calls\.(?!wakeNs)|^recorder\.(callNs|firstNs)$|^graph\.(instantiate|upload)$|^memory\.(malloc|free)$|^matmul\.workspaceNs$|^fft\.planNs$/,
    kind: 1.45,
    slowerKind: 1.7,
    calibrated: 1.45,
    run: 1.15,
  },
  {
    name: 'latencies',
    of: /^queue\.|^recorder\.copyGapNs$|^copies\.(batchEntryNs|pitchedRowNs)$|^calls\.wakeNs$|^graph\.kernelNodeNs$|^host\.wakeNs$|^hostFunction\./,
    kind: 1.4,
    calibrated: 1.32,
    run: 1.3,
  },
  {
    name: 'link',
    of: /^link\.|^copies\.(h2d|d2h)\.pinned$|^copies\.peer|^kernel\.mapped/,
    kind: 1.05,
    calibrated: 1.05,
    run: 1.05,
  },
  {
    name: 'device',
    of: /^kernel\.(?!mapped)|^copies\.d2d$|^(matmul|fft)\..*PerSecond$/,
    kind: 1.1,
    calibrated: 1.1,
    run: 1.05,
  },
];

/**
 * Relative error beyond all groups: two recordings of one program on one machine differ too, and the simulator errs by
 * itself. Not from --derive: chosen so that nine of ten makespans lie inside, on both halves of the trials
 * (docs/concepts/accuracy.md).
 */
export const residualShare = { kind: 0.11, calibrated: 0.1 };

/**
 * Parameters that differ more than their group: how many times faster, and slower. Reading write-combined memory is a
 * published figure of another processor. Tensor.to took 5 to 26 µs of PyTorch's own time on different hosts.
 */
const wider: Partial<Record<ParameterName, readonly [faster: number, slower: number]>> = {
  'host.uncachedBytesPerSecond': [4, 4],
  'calls.pytorchTensorNs': [1.6, 3.25],
  'calls.pytorchHandleNs': [1.6, 3.25],
  'calls.pytorchStreamNs': [1.6, 3.25],
};

/** A machine that is faster in one group than the profile, and one that is slower. */
export type MachinePair = readonly [fast: CostModel, slow: CostModel];

export interface SimilarMachines {
  /** One for each group. */
  readonly pairs: readonly MachinePair[];
  readonly residualShare: number;
}

/** Makes costs from the profile of a similar machine. `near` is used for costs that a run has shown. */
export type CostsOf = (profile: DeviceProfile, near: DeviceProfile) => CostModel;

/** Returns similar machines with costs from `costsOf`; null for published figures, whose error is unknown. */
export function machinesAround(profile: DeviceProfile, costsOf: CostsOf = profileCosts): SimilarMachines | null {
  if (profile.basis === 'published') return null;
  const from = isCalibrated(profile) ? 'calibrated' : 'kind';
  const [far, near] = [profilesAround[from](profile), profilesAround.run(profile)];
  const pairs = far.map(([fast, slow], group): MachinePair => {
    const [nearFast, nearSlow] = near[group] ?? [fast, slow];
    return [costsOf(fast, nearFast), costsOf(slow, nearSlow)];
  });
  return { pairs, residualShare: residualShare[from] };
}

type ProfilePair = readonly [fast: DeviceProfile, slow: DeviceProfile];
type Source = 'kind' | 'calibrated' | 'run';

const profilesFrom = (source: Source): ((profile: DeviceProfile) => readonly ProfilePair[]) =>
  rememberedBy((profile) =>
    spreadGroups.map((group): ProfilePair => {
      const by = (factor: number): DeviceProfile =>
        slower(profile, (name) => {
          if (!group.of.test(name)) return 1;
          const own = source === 'run' ? undefined : wider[name];
          if (own === undefined) return factor;
          return factor < 1 ? 1 / own[0] : own[1];
        });
      const most = source === 'kind' ? (group.slowerKind ?? group.kind) : group[source];
      return [by(1 / group[source]), by(most)];
    }),
  );

/** Remembered, because every edit needs those of one profile. */
const profilesAround = { kind: profilesFrom('kind'), calibrated: profilesFrom('calibrated'), run: profilesFrom('run') };

/** Returns whether the profile was calibrated on one machine. */
export const isCalibrated = ({ machines = 1, measurements = [] }: DeviceProfile): boolean =>
  machines === 1 && measurements.length > 0;

/** Returns the profile of a slower machine: scales times, rates and their tables, but not sizes and counts. */
export function slower(profile: DeviceProfile, factor: (name: ParameterName) => number): DeviceProfile {
  const parameters = Object.fromEntries(
    parameterNames.flatMap((name) => {
      const value = profile.parameters[name] ?? parameterOf(name).without ?? undefined;
      return value === undefined ? [] : [[name, turned(name, value, factor(name))]];
    }),
  );
  return { ...profile, parameters: parameters as unknown as DeviceProfile['parameters'] };
}

function turned(name: ParameterName, value: number | readonly Point[], by: number): number | readonly Point[] {
  const { unit } = parameterOf(name);
  const isRate = unit === 'B/s' || unit === 'flop/s';
  if (by === 1 || (unit !== 'ns' && !isRate)) return value;
  const times = isRate ? 1 / by : by;
  return typeof value === 'number' ? value * times : value.map(([place, one]): Point => [place, one * times]);
}
