/**
 * The machine of one run: a profile with what that run shows in the place of its own numbers. Machines of one kind
 * differ, and one machine does between two hours: the driver staged pageable copies at 9 to 20 GB/s on H200 machines. So
 * what is predicted of a run is predicted with the run's own rates of copies, of host memory and of kernels and its own
 * costs of calls, all without what recording added to them (recorder.ts). Of rows of a few microseconds that is as much as
 * they are long, and differs too; so the run's iterations without recording say whether they are taken at all, and how much
 * faster or slower the host was in them. What the run doesn't show stays as the profile has it: also the cost of what only
 * a remedy brings in, as a page-locked copy in the place of a pageable one.
 */
import { spread } from '../../analysis/statistics.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { whileRecording, withoutRecorder } from '../../simulator/recorder.ts';
import { simulate } from '../../simulator/simulate.ts';
import type { Run } from '../../trace/run.ts';
import { applyReadings } from './apply.ts';
import { ownReadings } from './ownReadings.ts';
import { type Reading, told } from './readings.ts';
import { type RecordedRun, recordedRun } from './recordedRun.ts';

export interface RunProfile {
  readonly profile: DeviceProfile;
  /** Parameters that the run told, in order. Empty where it told none: then the profile is the one given. */
  readonly fromRun: readonly string[];
}

/** Longer programs are simulated too slowly for somebody who waits. */
const mostInstructions = 20_000;
/** Of runs of more rows nothing is read. */
const mostRows = 200_000;

/** Whether something may be read of its machine. */
export const tellsMachine = ({ info, trace }: Run): boolean => info.engine === 'cuda' && trace.count <= mostRows;

/** The profile as it is where the run is not one that was recorded on a GPU, or is too long. */
export function profileOfRun(run: Run, profile: DeviceProfile): RunProfile {
  const recorded = usable(run);
  if (recorded === null) return { profile, fromRun: [] };
  try {
    const { measurements: _, ...rest } = profile;
    const base = whileRecording(rest);
    const machineOf = (readings: readonly Reading[]): DeviceProfile =>
      withoutRecorder(applyReadings(base, readings), rest);
    const all = ownReadings(recorded, base);
    const plainNs = plainMakespan(run);
    const readings = plainNs === null ? all : asWithoutRecorder(all, { plainNs, recorded, machineOf });
    if (readings.length === 0) return { profile, fromRun: [] };
    return { profile: machineOf(readings), fromRun: [...new Set(readings.map(({ path }) => path))] };
  } catch {
    // The experiment of a run from elsewhere need not be one that the simulator takes.
    return { profile, fromRun: [] };
  }
}

/** Median of the iterations with recording off. What their clock has beyond the makespan, recorded ones have too. */
function plainMakespan({ info: { iterations } }: Run): number | null {
  const [plain, wall, makespan] = [
    iterations.plainWallNs,
    iterations.recordedWallNs,
    iterations.recordedMakespanNs,
  ].map((times) => spread(times)?.median);
  if (plain === undefined || makespan === undefined) return null;
  return plain - Math.max(0, (wall ?? makespan) - makespan);
}

interface Plain {
  readonly plainNs: number;
  readonly recorded: RecordedRun;
  readonly machineOf: (readings: readonly Reading[]) => DeviceProfile;
}

/** Rows that are shorter a recorder may have made as long as they are. */
const leastNs = 20_000;
const isLong = (reading: Reading): boolean =>
  reading.path.endsWith('PerSecond') || reading.at?.key === 'share' || told(reading) >= leastNs;

/** What the host's memory and caches decide: it differs from iteration to iteration more than anything else. */
const isHostBound = ({ path }: Reading): boolean =>
  /^host\..*PerSecond$|^copies\.(h2d|d2h)\.pageable\.call$/.test(path);
/** What is turned is at most so many times as fast or slow without a recorder as with it. */
const mostTurned = 1.5;
const tried = 1.1;

/**
 * The readings whose prediction is nearest to the iterations with recording off: all, or those of long rows alone; or with
 * the host's rates turned until it is as long as those iterations. Where the host moved nothing, the short rows are.
 */
function asWithoutRecorder(all: readonly Reading[], { plainNs, recorded, machineOf }: Plain): readonly Reading[] {
  const lasts = (readings: readonly Reading[]): number => simulate(recorded.program, machineOf(readings)).makespanNs;
  const apart = (readings: readonly Reading[]): number => Math.abs(lasts(readings) - plainNs);
  const nearer = (one: readonly Reading[], other: readonly Reading[]): readonly Reading[] =>
    apart(other) < apart(one) ? other : one;
  const chosen = nearer(all, all.filter(isLong));
  const byHost = chosen.some(isHostBound);
  const from = byHost ? chosen : all;
  const turns = byHost ? isHostBound : (one: Reading): boolean => !isLong(one);
  const now = lasts(from);
  const by = 1 + ((tried - 1) * (plainNs - now)) / (lasts(turned(from, turns, tried)) - now);
  if (!Number.isFinite(by)) return chosen;
  return nearer(chosen, turned(from, turns, Math.min(mostTurned, Math.max(1 / mostTurned, by))));
}

/** What `turns` says takes `by` times as long. */
const turned = (readings: readonly Reading[], turns: (one: Reading) => boolean, by: number): Reading[] =>
  readings.map((reading) => {
    if (!turns(reading)) return reading;
    const factor = reading.path.endsWith('PerSecond') ? 1 / by : by;
    return { ...reading, samples: reading.samples.map((value) => value * factor) };
  });

function usable(run: Run): RecordedRun | null {
  if (!tellsMachine(run) || run.info.experiment === null) return null;
  try {
    // What its copies took is told as it was, whatever it was that made them long.
    const recorded = { ...recordedRun('', run), filled: false };
    const instructions = recorded.program.threads.reduce((sum, thread) => sum + thread.instructions.length, 0);
    return instructions > mostInstructions ? null : recorded;
  } catch {
    return null;
  }
}
