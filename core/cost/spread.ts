/**
 * How far a machine may be from a profile of its kind. Parameters that one thing decides, as the host's memory, are one
 * group, and a group errs as a whole: on nine machines in ten it takes up to so many times as long as the profile says,
 * or is as many times as fast. `node bench/run.mjs intervals --derive` measures both columns on one half of the
 * recorded trials' machines, and tests them on the other half: there the calibrated profiles of 20 H200 machines differ by
 * about as much (1.25 times in host memory, 1.02 on the link), the rest is what the simulator itself gets wrong.
 */
import type { CostModel } from '../machine/costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { type ParameterName, parameterNames, parameterOf } from '../profile/registry.ts';
import type { Point } from '../profile/schema.ts';
import { profileCosts } from './profileCosts.ts';

interface SpreadGroup {
  readonly name: string;
  /** Of parameters by name. */
  readonly of: RegExp;
  /** By a profile for machines of the kind. */
  readonly kind: number;
  /** Where calibration read it on the machine. */
  readonly calibrated: number;
  /** Where the rows of the run told it. */
  readonly run: number;
}

export const spreadGroups: readonly SpreadGroup[] = [
  {
    name: 'host memory',
    of: /^host\.(?!wakeNs)|^copies\.(h2d|d2h)\.pageable$|^memory\.(pin|unpin)$/,
    kind: 1.52,
    calibrated: 1.52,
    run: 1.3,
  },
  {
    name: 'host calls',
    of: /^calls\.(?!wakeNs)|^graph\.(instantiate|upload)$|^memory\.(malloc|free)$|^matmul\.workspaceNs$|^fft\.planNs$/,
    kind: 1.45,
    calibrated: 1.45,
    run: 1.15,
  },
  {
    name: 'latencies',
    of: /^queue\.|^calls\.wakeNs$|^graph\.kernelNodeNs$|^host\.wakeNs$|^hostFunction\./,
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
 * What is beyond all groups, as a part of what is told: two recordings of one program on one machine differ too, and the
 * machine of fewer rules errs by itself. Not of --derive: so much is needed for nine makespans in ten to lie within, on both
 * halves of the trials (docs/concepts/accuracy.md).
 */
export const restPart = { kind: 0.11, calibrated: 0.1 };

/** A machine that is faster in one group than a profile says, and one that is slower. */
export type MachinePair = readonly [fast: CostModel, slow: CostModel];

export interface Surroundings {
  /** One for each group. */
  readonly pairs: readonly MachinePair[];
  readonly restPart: number;
}

/** Costs by a profile that stands for a machine around another one; `near` stands for it where a run has shown a cost. */
export type CostsOf = (profile: DeviceProfile, near: DeviceProfile) => CostModel;

/**
 * The machines around a profile, by `costsOf` each. Null for a profile of published figures: how far a guess is off,
 * nobody has measured.
 */
export function machinesAround(profile: DeviceProfile, costsOf: CostsOf = profileCosts): Surroundings | null {
  if (profile.basis === 'published') return null;
  const from = isCalibrated(profile) ? 'calibrated' : 'kind';
  const [far, near] = [profilesAround(profile, from), profilesAround(profile, 'run')];
  const pairs = far.map(([fast, slow], group): MachinePair => {
    const [nearFast, nearSlow] = near[group] ?? [fast, slow];
    return [costsOf(fast, nearFast), costsOf(slow, nearSlow)];
  });
  return { pairs, restPart: restPart[from] };
}

type ProfilePair = readonly [fast: DeviceProfile, slow: DeviceProfile];
type Source = 'kind' | 'calibrated' | 'run';

/** Every edit asks for those of one profile. */
const around: Readonly<Record<Source, WeakMap<DeviceProfile, ProfilePair[]>>> = {
  kind: new WeakMap(),
  calibrated: new WeakMap(),
  run: new WeakMap(),
};

function profilesAround(profile: DeviceProfile, source: Source): readonly ProfilePair[] {
  const made =
    around[source].get(profile) ??
    spreadGroups.map((group): ProfilePair => {
      const factor = (name: ParameterName): number => (group.of.test(name) ? group[source] : 1);
      return [slower(profile, (name) => 1 / factor(name)), slower(profile, factor)];
    });
  around[source].set(profile, made);
  return made;
}

/** Whether calibration read it on one machine. */
export const isCalibrated = ({ machines = 1, measurements = [] }: DeviceProfile): boolean =>
  machines === 1 && measurements.length > 0;

/** The profile of a machine that takes so many times as long, by parameter: times, rates and tables of them. Sizes and counts stay. */
export function slower(profile: DeviceProfile, factor: (name: ParameterName) => number): DeviceProfile {
  const parameters = Object.fromEntries(
    parameterNames.flatMap((name) => {
      const value = profile.parameters[name];
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
