/**
 * Successive rows of one lane, prepared for queries on time windows: how much of a window they fill, and which row
 * fills most. Queries take logarithmic time in the number of rows, however long the window is.
 */
import { lowerBound } from '../../lowerBound.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { RowIndex, Trace } from '../../trace/trace.ts';

export interface Window {
  readonly startNs: number;
  readonly endNs: number;
}

export interface WithinWindow {
  /** Number of rows that overlap the window. */
  readonly count: number;
  /** Time of the window that they fill. */
  readonly timeNs: number;
  /** Row that fills most of it, the first if several; null if there is none. */
  readonly longest: { readonly row: RowIndex; readonly timeNs: number } | null;
}

export class LaneSpans {
  readonly #rows: Int32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** Total duration, and number of rows with a duration, before each position. */
  readonly #timeBefore: Float64Array;
  readonly #lastingBefore: Int32Array;
  /** Segment tree: leaf n + k is position k, an inner node the longer of its two children. */
  readonly #longest: Int32Array;

  /** `rows` in ascending order of start. If rows overlap, a window counts their common time twice. */
  constructor(trace: Trace, rows: ArrayLike<RowIndex>) {
    const count = rows.length;
    this.#rows = Int32Array.from(rows);
    this.#starts = new Float64Array(count);
    this.#ends = new Float64Array(count);
    this.#timeBefore = new Float64Array(count + 1);
    this.#lastingBefore = new Int32Array(count + 1);
    this.#longest = new Int32Array(2 * count);
    for (let k = 0; k < count; k += 1) {
      const row = rows[k] ?? 0;
      this.#starts[k] = trace.columns.startNs[row] ?? 0;
      this.#ends[k] = rowEndNs(trace, row);
      const duration = this.#duration(k);
      this.#timeBefore[k + 1] = (this.#timeBefore[k] ?? 0) + duration;
      this.#lastingBefore[k + 1] = (this.#lastingBefore[k] ?? 0) + (duration > 0 ? 1 : 0);
      this.#longest[count + k] = k;
    }
    for (let node = count - 1; node > 0; node -= 1) {
      this.#longest[node] = this.#longer(this.#longest[2 * node] ?? 0, this.#longest[2 * node + 1] ?? 0);
    }
  }

  within(window: Window): WithinWindow {
    const { startNs, endNs } = window;
    const first = this.#firstFrom(startNs);
    const end = Math.max(first, this.#firstFrom(endNs));
    let found: WithinWindow = this.#clipped(nothingWithin, first - 1, window);
    // All but the last of those that start in the window also end in it.
    if (end - 1 > first) found = this.#whole(found, first, end - 1);
    return end > first ? this.#clipped(found, end - 1, window) : found;
  }

  #clipped(found: WithinWindow, k: number, { startNs, endNs }: Window): WithinWindow {
    const timeNs = Math.min(this.#ends[k] ?? startNs, endNs) - Math.max(this.#starts[k] ?? startNs, startNs);
    return timeNs > 0 ? added(found, 1, timeNs, this.#rows[k] ?? 0, timeNs) : found;
  }

  #whole(found: WithinWindow, from: number, to: number): WithinWindow {
    const count = (this.#lastingBefore[to] ?? 0) - (this.#lastingBefore[from] ?? 0);
    if (count === 0) return found;
    const timeNs = (this.#timeBefore[to] ?? 0) - (this.#timeBefore[from] ?? 0);
    const longest = this.#longestIn(from, to);
    return added(found, count, timeNs, this.#rows[longest] ?? 0, this.#duration(longest));
  }

  #longestIn(from: number, to: number): number {
    const count = this.#rows.length;
    let best = from;
    for (let [low, high] = [from + count, to + count]; low < high; low >>= 1, high >>= 1) {
      if (low & 1) {
        best = this.#longer(best, this.#longest[low] ?? 0);
        low += 1;
      }
      if (high & 1) {
        high -= 1;
        best = this.#longer(best, this.#longest[high] ?? 0);
      }
    }
    return best;
  }

  /** Returns the position of the longer row, the earlier if equal. */
  #longer(a: number, b: number): number {
    const difference = this.#duration(a) - this.#duration(b);
    return difference > 0 || (difference === 0 && a < b) ? a : b;
  }

  #duration(k: number): number {
    return (this.#ends[k] ?? 0) - (this.#starts[k] ?? 0);
  }

  #firstFrom(time: number): number {
    return lowerBound(0, this.#starts.length, (k) => (this.#starts[k] ?? 0) < time);
  }
}

export const nothingWithin: WithinWindow = { count: 0, timeNs: 0, longest: null };

function added(found: WithinWindow, count: number, timeNs: number, row: RowIndex, longestNs: number): WithinWindow {
  const isLonger = found.longest === null || longestNs > found.longest.timeNs;
  return {
    count: found.count + count,
    timeNs: found.timeNs + timeNs,
    longest: isLonger ? { row, timeNs: longestNs } : found.longest,
  };
}
