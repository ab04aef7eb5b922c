/**
 * Rows of one depth of one lane, in order of time and without overlap, as a timeline draws them. All data is in typed
 * arrays, so a worker can build a layer and transfer it without copying.
 */
import { lowerBound } from '../lowerBound.ts';
import type { Shapes } from './shapes.ts';
import type { RowIndex } from './trace.ts';

/** A layer's content, transferable between threads. */
export interface LayerData {
  /** In ascending order of start; rows don't overlap. */
  readonly rows: Uint32Array;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Start of the first row of each group. */
  readonly groupStarts: Float64Array;
  /** busy[g]: total duration of the rows before position g * groupRows. */
  readonly busy: Float64Array;
  readonly longest: readonly Longest[];
}

/** Longest row of each group. A group of the first level has groupRows rows, of the next groupRows times as many. */
interface Longest {
  readonly positions: Uint32Array;
  readonly lengths: Float64Array;
}

/** Rows per group. Sums and longest rows are stored per group; the rest is a short loop. */
const groupRows = 32;

export function layerData(rows: Uint32Array, starts: Float64Array, ends: Float64Array): LayerData {
  const groups = Math.ceil(rows.length / groupRows);
  const groupStarts = new Float64Array(groups);
  const busy = new Float64Array(groups + 1);
  const positions = new Uint32Array(groups);
  const lengths = new Float64Array(groups);
  let sum = 0;
  for (let group = 0; group < groups; group += 1) {
    const first = group * groupRows;
    const end = Math.min(first + groupRows, rows.length);
    let [best, most] = [first, -1];
    for (let k = first; k < end; k += 1) {
      const length = (ends[k] as number) - (starts[k] as number);
      sum += length;
      if (length > most) [best, most] = [k, length];
    }
    groupStarts[group] = starts[first] as number;
    positions[group] = best;
    lengths[group] = most;
    busy[group + 1] = sum;
  }
  return { rows, starts, ends, groupStarts, busy, longest: pyramid({ positions, lengths }) };
}

function pyramid(first: Longest): Longest[] {
  const levels = [first];
  for (let below = first; below.lengths.length > groupRows; ) {
    const groups = Math.ceil(below.lengths.length / groupRows);
    const level: Longest = { positions: new Uint32Array(groups), lengths: new Float64Array(groups) };
    for (let group = 0; group < groups; group += 1) {
      const end = Math.min((group + 1) * groupRows, below.lengths.length);
      let [best, most] = [0, -1];
      for (let g = group * groupRows; g < end; g += 1) {
        const length = below.lengths[g] as number;
        if (length > most) [best, most] = [below.positions[g] as number, length];
      }
      level.positions[group] = best;
      level.lengths[group] = most;
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
  readonly #groupStarts: Float64Array;
  readonly #longest: readonly Longest[];

  constructor({ rows, starts, ends, groupStarts, busy, longest }: LayerData) {
    this.#rows = rows;
    this.#starts = starts;
    this.#ends = ends;
    this.#groupStarts = groupStarts;
    this.#busy = busy;
    this.#longest = longest;
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Returns the time in [fromNs, toNs] in which a row ran. */
  busyNs(fromNs: number, toNs: number): number {
    const first = this.#firstAfter(fromNs);
    const end = Math.max(first, this.#startsBefore(toNs));
    if (end === first) return 0;
    const before = Math.max(0, fromNs - this.#start(first));
    const after = Math.max(0, this.#end(end - 1) - toNs);
    return this.#busyOf(first, end) - before - after;
  }

  /** Returns the number of rows that overlap [fromNs, toNs), and the sum of their whole durations. */
  within(fromNs: number, toNs: number): { readonly count: number; readonly durationNs: number } {
    const first = this.#firstAfter(fromNs);
    const end = Math.max(first, this.#startsBefore(toNs));
    return { count: end - first, durationNs: end === first ? 0 : this.#busyOf(first, end) };
  }

  /**
   * Adds at most 2 * pixels + 3 shapes that contain every row in [fromNs, toNs] exactly once. A row of at least a pixel
   * gets its own shape. Narrower rows that start in the same pixel share one.
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

  /** Returns the row at this time, or else the nearest one within the tolerance. */
  hit(timeNs: number, toleranceNs: number): RowIndex | null {
    const after = lowerBound(0, this.count, (k) => this.#start(k) <= timeNs);
    const distance = (k: number): number => {
      if (k < 0 || k >= this.count) return Number.POSITIVE_INFINITY;
      return Math.max(0, this.#start(k) - timeNs, timeNs - this.#end(k));
    };
    const nearest = distance(after - 1) <= distance(after) ? after - 1 : after;
    return distance(nearest) <= toleranceNs ? (this.#rows[nearest] ?? null) : null;
  }

  /** Returns the row after (1) or before (-1) the row that starts here. If none starts here, goes by the time. */
  next(timeNs: number, step: 1 | -1): RowIndex | null {
    const at = step === 1 ? lowerBound(0, this.count, (k) => this.#start(k) <= timeNs) : this.#startsBefore(timeNs) - 1;
    return this.#rows[at] ?? null;
  }

  /** Returns the end of the block that starts with the narrow row k: after the last narrow row in its pixel. */
  #blockEnd(k: number, start: number, fromNs: number, toNs: number, pixelNs: number): number {
    const pixelEnd = fromNs + (Math.floor((start - fromNs) / pixelNs) + 1) * pixelNs;
    const end = this.#gallop(k + 1, pixelEnd, toNs);
    // Rows don't overlap, so only the last row that starts in a pixel can be as wide as a pixel.
    return end - 1 > k && this.#end(end - 1) - this.#start(end - 1) >= pixelNs ? end - 1 : end;
  }

  /**
   * Returns the first position from `from` on that starts at or after `pixelEnd`, or after `toNs`. Searches groups in
   * doubling steps: the end is near, and the groups' starts stay in the processor's cache.
   */
  #gallop(from: number, pixelEnd: number, toNs: number): number {
    const [starts, groupStarts] = [this.#starts, this.#groupStarts];
    let low = Math.floor(from / groupRows) + 1;
    let high = low;
    for (let step = 1; high < groupStarts.length && isWithin(groupStarts[high] as number, pixelEnd, toNs); step *= 2) {
      low = high + 1;
      high += step;
    }
    high = Math.min(high, groupStarts.length);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (isWithin(groupStarts[middle] as number, pixelEnd, toNs)) low = middle + 1;
      else high = middle;
    }
    // The end lies in the last group that starts before it.
    let at = Math.max(from, (low - 1) * groupRows);
    let end = Math.min(low * groupRows, starts.length);
    while (at < end) {
      const middle = (at + end) >>> 1;
      if (isWithin(starts[middle] as number, pixelEnd, toNs)) at = middle + 1;
      else end = middle;
    }
    return at;
  }

  /** Returns the first row that ends after a time, or is a mark at it. */
  #firstAfter(timeNs: number): number {
    return lowerBound(0, this.count, (k) => this.#end(k) <= timeNs && this.#start(k) < timeNs);
  }

  #startsBefore(timeNs: number): number {
    return lowerBound(0, this.count, (k) => this.#start(k) < timeNs);
  }

  /** Returns the total duration of the rows at positions k to next - 1. */
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

  /** Returns the position of the longest row at positions `from` to `to - 1`; the first one if several are equal. */
  #longestIn(from: number, to: number): number {
    const [starts, ends] = [this.#starts, this.#ends];
    let [best, most] = [from, -1];
    let [first, last] = [Math.ceil(from / groupRows), Math.floor(to / groupRows)];
    const isWhole = first < last;
    for (let k = from, end = isWhole ? first * groupRows : to; k < end; k += 1) {
      const length = (ends[k] as number) - (starts[k] as number);
      if (length > most) [best, most] = [k, length];
    }
    if (!isWhole) return best;
    for (let k = last * groupRows; k < to; k += 1) {
      const length = (ends[k] as number) - (starts[k] as number);
      if (length > most) [best, most] = [k, length];
    }
    for (let level = 0; first < last; level += 1) {
      const { positions, lengths } = this.#longest[level] as Longest;
      const isTop = level === this.#longest.length - 1;
      while (first < last && (isTop || first % groupRows !== 0)) {
        [best, most] = longer(best, most, positions[first] as number, lengths[first] as number);
        first += 1;
      }
      while (first < last && last % groupRows !== 0) {
        last -= 1;
        [best, most] = longer(best, most, positions[last] as number, lengths[last] as number);
      }
      first /= groupRows;
      last /= groupRows;
    }
    return best;
  }

  #start(k: number): number {
    return this.#starts[k] ?? 0;
  }

  #end(k: number): number {
    return this.#ends[k] ?? 0;
  }
}

const isWithin = (start: number, pixelEnd: number, toNs: number): boolean => start < pixelEnd && start <= toNs;

function longer(best: number, most: number, other: number, length: number): [best: number, most: number] {
  return length > most || (length === most && other < best) ? [other, length] : [best, most];
}
