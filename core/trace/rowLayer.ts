/** Rows that don't overlap, in order of time: what a timeline draws at one depth of one lane. */
import { lowerBound } from './rows.ts';
import type { RowIndex } from './trace.ts';

/** What to draw: one row as it is, or several that share a pixel as one block. */
export interface LayerShape {
  /** From the first row's start to the last one's end. */
  readonly startNs: number;
  readonly endNs: number;
  /** The row; of a block, its longest. */
  readonly row: RowIndex;
  readonly count: number;
  /** Time within the shape in which a row was under way: over its length, the true busy share. */
  readonly busyNs: number;
}

export class RowLayer {
  readonly #rows: Uint32Array;
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** #busy[k]: total duration of the first k rows. */
  readonly #busy: Float64Array;
  /** Segment tree: leaves are positions n to 2n - 1, each node the position of the longer of its two children. */
  readonly #longest: Uint32Array;

  /** Rows in ascending order of start, each starting no earlier than the one before ends. */
  constructor(rows: Uint32Array, starts: Float64Array, ends: Float64Array) {
    this.#rows = rows;
    this.#starts = starts;
    this.#ends = ends;
    this.#busy = new Float64Array(rows.length + 1);
    for (let k = 0; k < rows.length; k += 1) this.#busy[k + 1] = (this.#busy[k] ?? 0) + this.#duration(k);
    this.#longest = this.#longestTree();
  }

  get count(): number {
    return this.#rows.length;
  }

  /** Time in [fromNs, toNs] in which a row was under way. */
  busyNs(fromNs: number, toNs: number): number {
    const first = this.#firstAfter(fromNs);
    const end = lowerBound(first, this.count, (k) => this.#start(k) < toNs);
    if (end === first) return 0;
    const before = Math.max(0, fromNs - this.#start(first));
    const after = Math.max(0, this.#end(end - 1) - toNs);
    return this.#busyOf(first, end) - before - after;
  }

  /**
   * At most 2 * pixels + 3 shapes that hold every row in [fromNs, toNs] exactly once. A row at least a pixel wide is a
   * shape of its own; of the narrower ones, those that start in the same pixel are one.
   */
  shapes(fromNs: number, toNs: number, pixels: number): LayerShape[] {
    const pixelNs = (toNs - fromNs) / pixels;
    const shapes: LayerShape[] = [];
    if (!(pixelNs > 0 && pixelNs < Number.POSITIVE_INFINITY)) return shapes;
    let k = this.#firstAfter(fromNs);
    while (k < this.count && this.#start(k) <= toNs) {
      const next = this.#blockEnd(k, fromNs, toNs, pixelNs);
      shapes.push(this.#shape(k, next));
      k = next;
    }
    return shapes;
  }

  /** The row at this time, or else the nearest one that is no further away than the tolerance. */
  hit(timeNs: number, toleranceNs: number): RowIndex | null {
    const after = lowerBound(0, this.count, (k) => this.#start(k) <= timeNs);
    const distance = (k: number): number => {
      if (k < 0 || k >= this.count) return Number.POSITIVE_INFINITY;
      return Math.max(0, this.#start(k) - timeNs, timeNs - this.#end(k));
    };
    const nearest = distance(after - 1) <= distance(after) ? after - 1 : after;
    return distance(nearest) <= toleranceNs ? (this.#rows[nearest] ?? null) : null;
  }

  /** Where the shape that starts with row k ends: after it, or after the last narrow row that starts in its pixel. */
  #blockEnd(k: number, fromNs: number, toNs: number, pixelNs: number): number {
    if (this.#duration(k) >= pixelNs) return k + 1;
    const pixel = Math.floor((this.#start(k) - fromNs) / pixelNs);
    const pixelEnd = fromNs + (pixel + 1) * pixelNs;
    const end = lowerBound(k + 1, this.count, (j) => this.#start(j) < pixelEnd && this.#start(j) <= toNs);
    // Rows don't overlap, so only the last to start in a pixel can be as wide as one.
    return end - 1 > k && this.#duration(end - 1) >= pixelNs ? end - 1 : end;
  }

  #shape(k: number, next: number): LayerShape {
    return {
      startNs: this.#start(k),
      endNs: this.#end(next - 1),
      row: this.#rows[next - k === 1 ? k : this.#longestIn(k, next)] ?? 0,
      count: next - k,
      busyNs: this.#busyOf(k, next),
    };
  }

  /** First row that ends after a time, or that is a mark at it. */
  #firstAfter(timeNs: number): number {
    return lowerBound(0, this.count, (k) => this.#end(k) <= timeNs && this.#start(k) < timeNs);
  }

  #busyOf(k: number, next: number): number {
    return next - k === 1 ? this.#duration(k) : (this.#busy[next] ?? 0) - (this.#busy[k] ?? 0);
  }

  #start(k: number): number {
    return this.#starts[k] ?? 0;
  }

  #end(k: number): number {
    return this.#ends[k] ?? 0;
  }

  #duration(k: number): number {
    return this.#end(k) - this.#start(k);
  }

  #longer(a: number, b: number): number {
    return this.#duration(b) > this.#duration(a) ? b : a;
  }

  #longestTree(): Uint32Array {
    const count = this.count;
    const tree = new Uint32Array(2 * count);
    for (let k = 0; k < count; k += 1) tree[count + k] = k;
    for (let node = count - 1; node > 0; node -= 1) {
      tree[node] = this.#longer(tree[2 * node] ?? 0, tree[2 * node + 1] ?? 0);
    }
    return tree;
  }

  #longestIn(from: number, to: number): number {
    let best = from;
    for (let [low, high] = [from + this.count, to + this.count]; low < high; low >>= 1, high >>= 1) {
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
}
