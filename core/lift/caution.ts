/**
 * Whether the replay can be trusted: gains are taken from replays of the changed script, and where that of the unchanged one
 * is far from what was recorded, they are far off too.
 */
import { lowerMedian } from '../statistics.ts';
import { formatDuration } from '../units.ts';

/**
 * Part of the recorded step. Replays of 147 recorded traces (test/fixtures) are at most 3 % off; faults of the replay that
 * they had shown before were at least 25 %: what lies between is about as far from the one as from the other.
 */
const mostOff = 0.15;

/** Of the longest and the shortest step: with more, no single one is typical. */
const mostApart = 1.5;

/**
 * `replayedNs`: of the script as it was recorded, with the profiler's cost. Null where it meets the recorded steps, and these
 * are alike.
 */
export function cautionOf(recordedNs: readonly number[], replayedNs: number): string | null {
  const typicalNs = lowerMedian(longRunOf(recordedNs));
  const { leastNs, mostNs } = spreadOf(recordedNs);
  const told = [
    ...(Math.abs(replayedNs - typicalNs) <= mostOff * typicalNs
      ? []
      : [
          `Replayed without changes, the step takes ${formatDuration(replayedNs)}; ${formatDuration(typicalNs)} were recorded. Take gains with care.`,
        ]),
    ...(mostNs <= mostApart * leastNs
      ? []
      : [`The steps differ: they took ${formatDuration(leastNs)} to ${formatDuration(mostNs)}.`]),
  ];
  return told.length === 0 ? null : told.join(' ');
}

/** The shortest and the longest step. */
export function spreadOf(recordedNs: readonly number[]): { readonly leastNs: number; readonly mostNs: number } {
  const steps = longRunOf(recordedNs);
  return { leastNs: Math.min(...steps), mostNs: Math.max(...steps) };
}

/** As replays tell it: the first step fills what later ones find full. */
const longRunOf = (recordedNs: readonly number[]): readonly number[] =>
  recordedNs.length < 2 ? recordedNs : recordedNs.slice(1);
