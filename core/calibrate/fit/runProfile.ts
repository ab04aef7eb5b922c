/**
 * The machine of one run: a profile with what that run shows in the place of its own numbers. Machines of one kind
 * differ, and one machine does between two hours: the driver staged pageable copies at 9 to 20 GB/s on H200 machines. So
 * what is predicted of a run is predicted with the run's own rates of copies, of host memory and of kernels and its own
 * costs of calls, all without what recording added to them (recorder.ts). What the run doesn't show stays as the profile
 * has it: also the cost of what only a remedy brings in, as a page-locked copy in the place of a pageable one.
 */
import { spread } from '../../analysis/statistics.ts';
import type { DeviceProfile } from '../../simulator/profile.ts';
import { whileRecording, withoutRecorder } from '../../simulator/recorder.ts';
import type { Run } from '../../trace/run.ts';
import { applyReadings } from './apply.ts';
import { type Reading, readRuns } from './readings.ts';
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
    if (readings.length === 0) return { profile, fromRun: [] };
    const own = withoutRecorder(applyReadings(base, readings), rest);
    return { profile: own, fromRun: [...new Set(readings.map(({ path }) => path))] };
  } catch {
    // The experiment of a run from elsewhere need not be one that the simulator takes.
    return { profile, fromRun: [] };
  }
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
