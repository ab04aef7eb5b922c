/**
 * The machine of one run: a profile with what that run shows in the place of its own numbers. Machines of one kind
 * differ, and one machine does between two hours: the driver staged pageable copies at 9 to 20 GB/s on H200 machines. So
 * what is predicted of a run is predicted with the run's own rates of copies, of host memory and of kernels and its own
 * costs of calls, all without what recording added to them (recorder.ts). Of rows of a few microseconds that is as much as
 * they are long, and differs too; so the run's iterations without recording say whether they are taken at all. What the run doesn't show stays as the profile
 * has it: also the cost of what only a remedy brings in, as a page-locked copy in the place of a pageable one.
 */
import { spread } from '../../analysis/statistics.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { whileRecording, withoutRecorder } from '../../simulator/recorder.ts';
import { simulate } from '../../simulator/simulate.ts';
import type { Run } from '../../trace/run.ts';
import { applyReadings } from './apply.ts';
import { type Reading, readRuns, told } from './readings.ts';
import { type RecordedRun, recordedRun } from './recordedRun.ts';

export interface RunProfile {
  readonly profile: DeviceProfile;
  /** Parameters that the run told, in order. Empty where it told none: then the profile is the one given. */
  readonly fromRun: readonly string[];
}

/** Longer programs are simulated too slowly for somebody who waits. */
const mostInstructions = 20_000;
/** Of runs of more rows nothing is read. */
export const mostRows = 200_000;

/** The profile as it is where the run is not one that was recorded on a GPU, or is too long. */
export function profileOfRun(run: Run, profile: DeviceProfile): RunProfile {
  const recorded = usable(run);
  if (recorded === null) return { profile, fromRun: [] };
  try {
    const { measurements: _, ...rest } = profile;
    const base = whileRecording(rest);
    const readings = readTwice(recorded, base);
    const machines = [readings, readings.filter(isLong)].map((some) => ({
      profile: withoutRecorder(applyReadings(base, some), rest),
      fromRun: [...new Set(some.map(({ path }) => path))],
    }));
    const own = nearest(machines, recorded, run);
    return own === undefined || own.fromRun.length === 0 ? { profile, fromRun: [] } : own;
  } catch {
    // The experiment of a run from elsewhere need not be one that the simulator takes.
    return { profile, fromRun: [] };
  }
}

/** Rows that are shorter a recorder may have made as long as they are. */
const leastNs = 20_000;
const isLong = (reading: Reading): boolean =>
  reading.path.endsWith('PerSecond') || reading.at?.key === 'share' || told(reading) >= leastNs;

/** The machine whose prediction is nearest to the iterations that the run did with recording off; the first without any. */
function nearest(machines: readonly RunProfile[], { program }: RecordedRun, { info }: Run): RunProfile | undefined {
  const plainNs = spread(info.iterations.plainWallNs)?.median;
  if (plainNs === undefined) return machines[0];
  const apart = machines.map(({ profile }) => Math.abs(simulate(program, profile).makespanNs - plainNs));
  return machines[apart.indexOf(Math.min(...apart))];
}

function usable(run: Run): RecordedRun | null {
  const { info, trace } = run;
  if (info.engine !== 'cuda' || info.experiment === null || trace.count > mostRows) return null;
  try {
    const recorded = recordedRun('', run);
    const instructions = recorded.program.threads.reduce((sum, thread) => sum + thread.instructions.length, 0);
    return instructions > mostInstructions ? null : recorded;
  } catch {
    return null;
  }
}

/** What is read rests on what the simulation takes to be held or shared, so it is read once more with what was read. */
function readTwice(run: RecordedRun, base: DeviceProfile): Reading[] {
  const first = read(run, base).filter(({ at }) => at?.key !== 'share');
  return read(run, applyReadings(base, first));
}

/** Of one run the median of all that it tells: a gain is that of a usual iteration. */
const read = (run: RecordedRun, profile: DeviceProfile): Reading[] =>
  readRuns([run], profile, (_, values) => spread(values)?.median ?? Number.NaN);
