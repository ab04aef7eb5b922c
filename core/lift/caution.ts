/**
 * Checks whether the replay can be trusted. Gains come from replays of the changed script; if the replay of the
 * unchanged one is far from the recording, they are far off too.
 */
import { lowerMedian } from '../statistics.ts';
import { formatDuration } from '../units.ts';

/**
 * Limit relative to the recorded step. Replays of 147 recorded traces (test/fixtures) are at most 3 % off, and earlier
 * faults of the replay made at least 25 %, so the limit is between.
 */
const mostOff = 0.15;

/** Limit of longest to shortest step: beyond it, no single step is typical. */
const mostApart = 1.5;

/** `replayedNs`: the script as recorded, with the profiler's cost. Returns null if it fits and steps are alike. */
export function cautionOf(recordedNs: readonly number[], replayedNs: number): string | null {
  const typicalNs = lowerMedian(longRunOf(recordedNs));
  const { leastNs, mostNs } = spreadOf(recordedNs);
  const told = [
    ...(Math.abs(replayedNs - typicalNs) <= mostOff * typicalNs
      ? []
      : [
          `Replayed without changes, the step takes ${formatDuration(replayedNs)}; ${formatDuration(typicalNs)} were recorded. ${
            replayedNs < typicalNs
              ? 'Nothing in the trace explains the rest: all predictions include it.'
              : 'Gains are less certain.'
          }`,
        ]),
    ...(mostNs <= mostApart * leastNs
      ? []
      : [`The steps differ: they took ${formatDuration(leastNs)} to ${formatDuration(mostNs)}.`]),
  ];
  return told.length === 0 ? null : told.join(' ');
}

/** Returns the part of a typical step that a replay which is far too short lacks: nothing in the trace explains it. */
export function missingNs(recordedNs: readonly number[], replayedNs: number): number {
  const typicalNs = recordedNs.length === 0 ? 0 : lowerMedian(longRunOf(recordedNs));
  return replayedNs < (1 - mostOff) * typicalNs ? typicalNs - replayedNs : 0;
}

/** Returns the shortest and the longest step. */
export function spreadOf(recordedNs: readonly number[]): { readonly leastNs: number; readonly mostNs: number } {
  const steps = longRunOf(recordedNs);
  return { leastNs: Math.min(...steps), mostNs: Math.max(...steps) };
}

/** Leaves out the first step, as replays do: it fills queues that later ones find full. */
const longRunOf = (recordedNs: readonly number[]): readonly number[] =>
  recordedNs.length < 2 ? recordedNs : recordedNs.slice(1);
