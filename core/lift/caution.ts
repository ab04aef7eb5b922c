/**
 * Whether the replay can be trusted: gains are taken from replays of the changed script, and where that of the unchanged one
 * is far from what was recorded, they are far off too.
 */
import { median } from '../statistics.ts';
import { formatDuration } from '../units.ts';

/**
 * Part of the recorded step. Replays of 147 recorded traces (test/fixtures) are at most 3 % off; faults of the replay that
 * they had shown before were at least 25 %: what lies between is about as far from the one as from the other.
 */
const mostOff = 0.15;

/** `replayedNs`: of the script as it was recorded, with the profiler's cost. Null where it meets the recorded steps. */
export function cautionOf(recordedNs: readonly number[], replayedNs: number): string | null {
  const typicalNs = longRunOf(recordedNs);
  if (Math.abs(replayedNs - typicalNs) <= mostOff * typicalNs) return null;
  return `Replayed without changes, the step takes ${formatDuration(replayedNs)}; ${formatDuration(typicalNs)} were recorded. Take gains with care.`;
}

/** As replays tell it: the first step fills what later ones find full. */
const longRunOf = (recordedNs: readonly number[]): number =>
  recordedNs.length < 2 ? (recordedNs[0] ?? 0) : median(recordedNs.slice(1));
