/**
 * Rows that don't overlap, in order of time: what a timeline draws at one depth of one lane. Everything is in typed
 * arrays, so that a worker can build a layer and hand it over without copying.
 */
import type { Shapes } from './shapes.ts';
import type { RowIndex } from './trace.ts';

/** A layer's content, as it crosses between threads. */
export interface LayerData {
  /** Ascending by start, each row starting no earlier than the one before ends. */
  readonly rows: Uint32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** busy[g]: total duration of the rows before position g * groupRows. */
  readonly busy: Float64Array;
  /** longest[level][g]: position of the longest row of group g, whose groups hold groupRows ** (level + 1) rows. */
  readonly longest: readonly Uint32Array[];
}

/** Rows of a group. Sums and longest rows are kept for groups only, and the rest is a short walk. */
const groupRows = 32;

export function layerData(rows: Uint32Array, starts: Float64Array, ends: Float64Array): LayerData {
  const groups = Math.ceil(rows.length / groupRows);
  const busy = new Float64Array(groups + 1);
  const first = new Uint32Array(groups);
  let sum = 0;
  for (let group = 0; group < groups; group += 1) {
    const end = Math.min((group + 1) * groupRows, rows.length);
    let [best, most] = [group * groupRows, -1];
    for (let k = group * groupRows; k < end; k += 1) {
      const duration = (ends[k] as number) - (starts[k] as number);
      sum += duration;
      if (duration > most) [best, most] = [k, duration];
    }
    first[group] = best;
    busy[group + 1] = sum;
  }
  return { rows, starts, ends, busy, longest: pyramid(first, starts, ends) };
}

function pyramid(first: Uint32Array, starts: Float64Array, ends: Float64Array): Uint32Array[] {
  const levels = [first];
  for (let below = first; below.length > groupRows; ) {
    const level = new Uint32Array(Math.ceil(below.length / groupRows));
    for (let group = 0; group < level.length; group += 1) {
      const end = Math.min((group + 1) * groupRows, below.length);
      let [best, most] = [0, -1];
      for (let g = group * groupRows; g < end; g += 1) {
        const k = below[g] as number;
        const duration = (ends[k] as number) - (starts[k] as number);
        if (duration > most) [best, most] = [k, duration];
      }
      level[group] = best;
    }
    levels.push(level);
    below = level;
  }
  return levels;
}

export class RowLayer {
  readonly #rows: Uint32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  readonly #busy: Float64Array;
  readonly #longest: readonly Uint32Array[];

  constructor({ rows, starts, ends, busy, longest }: LayerData) {
    this.#rows = rows;
    this.#starts = starts;
    this.#ends = ends;
    this.#busy = busy;
    this.#longest = longest;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Time in [fromNs, toNs] in which a row was under way. */
  busyNs(fromNs: number, toNs: number): number {
    const first = this.#firstAfter(fromNs);
    const end = Math.max(first, this.#startsBefore(toNs));
    if (end === first) return 0;
    const before = Math.max(0, fromNs - this.#start(first));
    const after = Math.max(0, this.#end(end - 1) - toNs);
    return this.#busyOf(first, end) - before - after;
  }

  /** How many rows have some part in [fromNs, toNs), and how long they last together, whole. */
  within(fromNs: number, toNs: number): { readonly count: number; readonly durationNs: number } {
    const first = this.#firstAfter(fromNs);
    const end = Math.max(first, this.#startsBefore(toNs));
    return { count: end - first, durationNs: end === first ? 0 : this.#busyOf(first, end) };
  }

  /**
   * Adds at most 2 * pixels + 3 shapes that hold every row in [fromNs, toNs] exactly once. A row at least a pixel wide
   * is a shape of its own; of the narrower ones, those that start in the same pixel are one.
   */
  shapes(into: Shapes, fromNs: number, toNs: number, pixels: number): void {
    const pixelNs = (toNs - fromNs) / pixels;
    if (!(pixelNs > 0 && pixelNs < Number.POSITIVE_INFINITY)) return;
    const [starts, ends, rows] = [this.#starts, this.#ends, this.#rows];
    const count = rows.length;
    for (let k = this.#firstAfter(fromNs); k < count; ) {
      const start = starts[k] as number;
      if (start > toNs) break;
      const end = ends[k] as number;
      const next = end - start >= pixelNs ? k + 1 : this.#blockEnd(k, start, fromNs, toNs, pixelNs);
      if (next === k + 1) into.add(start, end, end - start, rows[k] as number, 1);
      else {
        const row = rows[this.#longestIn(k, next)] as number;
        into.add(start, ends[next - 1] as number, this.#busyOf(k, next), row, next - k);
      }
      k = next;
    }
  }

  /** The row at this time, or else the nearest one that is no further away than the tolerance. */
  hit(timeNs: number, toleranceNs: number): RowIndex | null {
    const after = this.#lowerBound(0, this.count, (k) => this.#start(k) <= timeNs);
    const distance = (k: number): number => {
      if (k < 0 || k >= this.count) return Number.POSITIVE_INFINITY;
      return Math.max(0, this.#start(k) - timeNs, timeNs - this.#end(k));
    };
    const nearest = distance(after - 1) <= distance(after) ? after - 1 : after;
    return distance(nearest) <= toleranceNs ? (this.#rows[nearest] ?? null) : null;
  }

  /** The row after (1) or before (-1) the one that starts here or, where none does, after or before this time. */
  next(timeNs: number, step: 1 | -1): RowIndex | null {
    const at =
      step === 1 ? this.#lowerBound(0, this.count, (k) => this.#start(k) <= timeNs) : this.#startsBefore(timeNs) - 1;
    return this.#rows[at] ?? null;
  }

  /** Where the block that starts with the narrow row k ends: after the last narrow row that starts in its pixel. */
  #blockEnd(k: number, start: number, fromNs: number, toNs: number, pixelNs: number): number {
    const pixelEnd = fromNs + (Math.floor((start - fromNs) / pixelNs) + 1) * pixelNs;
    const end = this.#gallop(k + 1, pixelEnd, toNs);
    // Rows don't overlap, so only the last to start in a pixel can be as wide as one.
    return end - 1 > k && this.#end(end - 1) - this.#start(end - 1) >= pixelNs ? end - 1 : end;
  }

  /** First position from `from` on that starts at `pixelEnd` or later, or after `toNs`: near, so steps double. */
  #gallop(from: number, pixelEnd: number, toNs: number): number {
    const starts = this.#starts;
    const count = starts.length;
    let [low, step] = [from, 1];
    while (low < count && (starts[low] as number) < pixelEnd && (starts[low] as number) <= toNs) {
      from = low + 1;
      low += step;
      step *= 2;
    }
    let high = Math.min(low, count);
    low = from;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const start = starts[middle] as number;
      if (start < pixelEnd && start <= toNs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** First row that ends after a time, or that is a mark at it. */
  #firstAfter(timeNs: number): number {
    return this.#lowerBound(0, this.count, (k) => this.#end(k) <= timeNs && this.#start(k) < timeNs);
  }

  #startsBefore(timeNs: number): number {
    return this.#lowerBound(0, this.count, (k) => this.#start(k) < timeNs);
  }

  /** Total duration of the rows at positions k to next - 1. */
  #busyOf(k: number, next: number): number {
    const [from, to] = [Math.ceil(k / groupRows), Math.floor(next / groupRows)];
    if (from >= to) return this.#walk(k, next);
    const groups = (this.#busy[to] as number) - (this.#busy[from] as number);
    return this.#walk(k, from * groupRows) + groups + this.#walk(to * groupRows, next);
  }

  #walk(from: number, to: number): number {
    let sum = 0;
    for (let k = from; k < to; k += 1) sum += (this.#ends[k] as number) - (this.#starts[k] as number);
    return sum;
  }

  /** Position of the longest of the rows at positions `from` to `to - 1`; the first of those equally long. */
  #longestIn(from: number, to: number): number {
    const [starts, ends] = [this.#starts, this.#ends];
    let [best, most] = [from, -1];
    let positions: Uint32Array | null = null;
    for (let level = 0; from < to; level += 1) {
      const isTop = level >= this.#longest.length;
      while (from < to && (isTop || from % groupRows !== 0)) {
        const k: number = positions === null ? from : (positions[from] as number);
        const duration = (ends[k] as number) - (starts[k] as number);
        if (duration > most || (duration === most && k < best)) [best, most] = [k, duration];
        from += 1;
      }
      while (to > from && to % groupRows !== 0) {
        to -= 1;
        const k: number = positions === null ? to : (positions[to] as number);
        const duration = (ends[k] as number) - (starts[k] as number);
        if (duration > most || (duration === most && k < best)) [best, most] = [k, duration];
      }
      from /= groupRows;
      to /= groupRows;
      positions = this.#longest[level] ?? null;
    }
    return best;
  }

  #lowerBound(low: number, high: number, isBelow: (k: number) => boolean): number {
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isBelow(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #start(k: number): number {
    return this.#starts[k] ?? 0;
  }

  #end(k: number): number {
    return this.#ends[k] ?? 0;
  }
}
