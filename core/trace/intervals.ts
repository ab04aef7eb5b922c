/**
 * Sets of times as sorted, disjoint intervals. Overlap, busy time and idle time are lengths of their unions and
 * intersections. Intervals are half-open: they include the start but not the end, so touching ones share nothing.
 */
import { lowerBound } from '../lowerBound.ts';

/** Flat pairs [start, end, start, end…] in ascending order, disjoint, neither touching nor empty. */
export type Intervals = Float64Array;

export const noIntervals: Intervals = new Float64Array(0);

/** Returns the union of intervals given by parallel arrays, in any order. Ignores those without duration. */
export const union = (starts: ArrayLike<number>, ends: ArrayLike<number>): Intervals =>
  unionOf(
    starts.length,
    (index) => starts[index] ?? 0,
    (index) => ends[index] ?? 0,
  );

/** Returns the union of intervals read one by one, so that rows of a trace need no copy. */
export function unionOf(count: number, startOf: NumberAt, endOf: NumberAt): Intervals {
  const order = byStart(count, startOf);
  let merged = new Float64Array(64);
  let used = 0;
  for (let place = 0; place < count; place += 1) {
    const index = order === null ? place : (order[place] ?? 0);
    const start = startOf(index);
    const end = endOf(index);
    if (!(end > start)) continue;
    const last = merged[used - 1];
    if (last !== undefined && used > 0 && start <= last) {
      if (end > last) merged[used - 1] = end;
    } else {
      if (used + 2 > merged.length) merged = grown(merged, count);
      merged[used] = start;
      merged[used + 1] = end;
      used += 2;
    }
  }
  return merged.slice(0, used);
}

type NumberAt = (index: number) => number;

/** Returns an array of twice the size, but at most `count` intervals. */
function grown(merged: Float64Array<ArrayBuffer>, count: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(Math.max(64, Math.min(2 * count, 2 * merged.length)));
  more.set(merged);
  return more;
}

/** Returns the order of starts, or null if they are sorted already, as trace columns are. */
function byStart(count: number, startOf: NumberAt): Uint32Array | null {
  for (let index = 1; index < count; index += 1) {
    if (startOf(index) < startOf(index - 1)) {
      const order = new Uint32Array(count);
      for (let place = 0; place < count; place += 1) order[place] = place;
      return order.sort((a, b) => startOf(a) - startOf(b));
    }
  }
  return null;
}

/** Returns the total length. */
export function length(intervals: Intervals): number {
  let sum = 0;
  for (let index = 0; index < intervals.length; index += 2) {
    sum += (intervals[index + 1] ?? 0) - (intervals[index] ?? 0);
  }
  return sum;
}

/** Returns the times that are in both. */
export function intersection(a: Intervals, b: Intervals): Intervals {
  const common = new Float64Array(a.length + b.length);
  let used = 0;
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    const [endA, endB] = [a[i + 1] ?? 0, b[j + 1] ?? 0];
    const start = Math.max(a[i] ?? 0, b[j] ?? 0);
    const end = Math.min(endA, endB);
    if (end > start) {
      common[used] = start;
      common[used + 1] = end;
      used += 2;
    }
    if (endA <= endB) i += 2;
    else j += 2;
  }
  return common.slice(0, used);
}

/** Returns the times of `from` that aren't in `part`. */
export function difference(from: Intervals, part: Intervals): Intervals {
  const left = new Float64Array(from.length + part.length);
  let [at, used] = [0, 0];
  const add = (begin: number, end: number): void => {
    left[used] = begin;
    left[used + 1] = end;
    used += 2;
  };
  for (let index = 0; index < from.length; index += 2) {
    const end = from[index + 1] as number;
    let begin = from[index] as number;
    while (at < part.length && (part[at] as number) < end) {
      if ((part[at] as number) > begin) add(begin, part[at] as number);
      begin = part[at + 1] as number;
      at += 2;
    }
    if (end > begin) add(begin, end);
  }
  return left.slice(0, used);
}

/** Returns the length of the part of [start, end) that is in `intervals`. */
export function coveredLength(intervals: Intervals, start: number, end: number): number {
  let sum = 0;
  for (let index = firstEndingAfter(intervals, start); index < intervals.length; index += 2) {
    const from = intervals[index] ?? 0;
    if (from >= end) break;
    sum += Math.min(end, intervals[index + 1] ?? 0) - Math.max(start, from);
  }
  return sum;
}

/** Returns the position of the first interval that ends after `time`; the array's length if there is none. */
const firstEndingAfter = (intervals: Intervals, time: number): number =>
  2 * lowerBound(0, intervals.length / 2, (index) => (intervals[index * 2 + 1] ?? 0) <= time);
