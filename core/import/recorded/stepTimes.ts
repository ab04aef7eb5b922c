/** What recording cost: steps that the recorder timed while it recorded, beside others of the same program. */
import { median } from '../../statistics.ts';
import type { StepTimes } from '../../trace/run.ts';
import { formatDuration } from '../../units.ts';
import type { RecordedProcess } from './recordedProcess.ts';

/** Of fewer than these, a single slow one tells too much. */
const leastSteps = 5;

/** Of the process that has the most; null where none has enough of both kinds. */
export function stepTimesOf(processes: readonly RecordedProcess[]): StepTimes | null {
  const all = processes.flatMap(({ stepsNs: { recorded, plain } }) => {
    const [times, plainTimes] = [recorded, plain].map((list) => list.filter((ns) => ns > 0)) as [number[], number[]];
    if (Math.min(times.length, plainTimes.length) < leastSteps) return [];
    return {
      recordedNs: median(times),
      recordedCount: times.length,
      plainNs: median(plainTimes),
      plainCount: plainTimes.length,
    };
  });
  return all.sort((a, b) => b.recordedCount - a.recordedCount)[0] ?? null;
}

export function stepTimesNote({ recordedNs, recordedCount, plainNs, plainCount }: StepTimes): string {
  const percent = 100 * (recordedNs / plainNs - 1);
  const words = `${Math.abs(percent).toFixed(1)} % ${percent < 0 ? 'less' : 'more'}`;
  return `On the host a step took ${formatDuration(recordedNs)} while it was recorded (median of ${recordedCount}), ${words} than the ${formatDuration(plainNs)} without (median of ${plainCount} around them).`;
}
