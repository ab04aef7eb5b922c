/**
 * Vector clocks. A lane is a host thread, or the work that one host thread issued to one stream; its operations run in
 * order in every execution. A clock has the number of operations of each lane known to be complete.
 */
import { lowerBound } from '../../lowerBound.ts';

export type Clock = Int32Array;

/** Sets each entry of `target` to the larger of both clocks. */
export function join(target: Clock, source: Clock): void {
  for (let lane = 0; lane < source.length; lane += 1) {
    const known = source[lane] ?? 0;
    if (known > (target[lane] ?? 0)) target[lane] = known;
  }
}

/** Joins what is complete when operation `index` of `lane`, which started with `start`, is complete. */
export function joinCompleted(target: Clock, start: Clock, lane: number, index: number): void {
  join(target, start);
  if (index > (target[lane] ?? 0)) target[lane] = index;
}

/** Returns what all clocks agree on: the smallest of each entry. */
export function meet(clocks: readonly Clock[], width: number): Clock {
  const least = new Int32Array(width);
  for (let lane = 0; lane < width; lane += 1) {
    let known = Number.MAX_SAFE_INTEGER;
    for (const clock of clocks) known = Math.min(known, clock[lane] ?? 0);
    least[lane] = clocks.length === 0 ? 0 : known;
  }
  return least;
}

/**
 * Returns what is known when any `count` of these events have happened. At least one of them isn't among the `count -
 * 1` that know least about a lane, so the count-th smallest entry of each lane is certain.
 */
export function anyOf(clocks: readonly Clock[], count: number, width: number): Clock {
  const certain = new Int32Array(width);
  for (let lane = 0; lane < width; lane += 1) {
    const known = clocks.map((clock) => clock[lane] ?? 0).sort((a, b) => a - b);
    certain[lane] = known[count - 1] ?? 0;
  }
  return certain;
}

/** Returns how many of the ascending numbers are at most `limit`. */
export const countUpTo = (ascending: readonly number[], limit: number): number =>
  lowerBound(0, ascending.length, (index) => (ascending[index] ?? 0) <= limit);

export function sameClock(a: Clock | null, b: Clock): boolean {
  if (a === null) return false;
  return a.every((known, lane) => known === b[lane]);
}
