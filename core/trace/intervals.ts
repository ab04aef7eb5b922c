/**
 * Sets of times as sorted, disjoint intervals. Overlap, busy time and idle time are sizes of unions and intersections
 * of these. Half-open: an interval holds its start and not its end, so two that only touch share nothing.
 */
import { lowerBound } from '../lowerBound.ts';

/** Flat pairs [start, end, start, end…] in ascending order, disjoint and not touching, none empty. */
export type Intervals = Float64Array;

export const noIntervals: Intervals = new Float64Array(0);

/** The union of intervals given by parallel arrays, in any order. Those without duration add nothing. */
export const union = (starts: ArrayLike<number>, ends: ArrayLike<number>): Intervals =>
  unionOf(
    starts.length,
    (index) => starts[index] ?? 0,
    (index) => ends[index] ?? 0,
  );

/** Returns the same for intervals that are asked for one by one: those of a trace's rows need no copy. */
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

/** Holds twice as many intervals, and no more than there can be. */
function grown(merged: Float64Array<ArrayBuffer>, count: number): Float64Array<ArrayBuffer> {
  const more = new Float64Array(Math.max(64, Math.min(2 * count, 2 * merged.length)));
  more.set(merged);
  return more;
}

/** Null where they are in order already, as trace columns are. */
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

/** Total length. */
export function length(intervals: Intervals): number {
  let sum = 0;
  for (let index = 0; index < intervals.length; index += 2) {
    sum += (intervals[index + 1] ?? 0) - (intervals[index] ?? 0);
  }
  return sum;
}

/** The times that are in both. */
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

/** What is left of intervals when a part of them is taken out. */
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

/** Length of the part of [start, end) that lies in `intervals`. */
export function coveredLength(intervals: Intervals, start: number, end: number): number {
  let sum = 0;
  for (let index = firstEndingAfter(intervals, start); index < intervals.length; index += 2) {
    const from = intervals[index] ?? 0;
    if (from >= end) break;
    sum += Math.min(end, intervals[index + 1] ?? 0) - Math.max(start, from);
  }
  return sum;
}

/** Position of the first interval that ends after `time`; the array's length where there is none. */
const firstEndingAfter = (intervals: Intervals, time: number): number =>
  2 * lowerBound(0, intervals.length / 2, (index) => (intervals[index * 2 + 1] ?? 0) <= time);
