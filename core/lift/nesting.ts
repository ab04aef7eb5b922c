/**
 * Spans of time that mostly nest, like calls inside calls. Finds the spans around a moment without visiting those that
 * are over: each span has a link to the last one that was open when it began.
 */
import { lowerBound } from '../lowerBound.ts';

export class Nesting {
  readonly #count: number;
  readonly #startOf: (index: number) => number;
  readonly #endOf: (index: number) => number;
  /** Span that was open at each span's begin; -1 if there is none. */
  readonly #around: Int32Array;

  /** In order of start. */
  constructor(count: number, startOf: (index: number) => number, endOf: (index: number) => number) {
    this.#count = count;
    this.#startOf = startOf;
    this.#endOf = endOf;
    this.#around = new Int32Array(count);
    let open = -1;
    for (let index = 0; index < count; index += 1) {
      const startNs = startOf(index);
      while (open >= 0 && endOf(open) < startNs) open = this.#around[open] ?? -1;
      this.#around[index] = open;
      open = index;
    }
  }

  /** Yields spans that contain `fromNs` to `toNs`, the latest start first. */
  *holding(fromNs: number, toNs: number): Generator<number> {
    const begun = lowerBound(0, this.#count, (index) => this.#startOf(index) <= fromNs);
    for (let index = begun - 1; index >= 0; index = this.#around[index] ?? -1) {
      if (this.#endOf(index) >= toNs) yield index;
    }
  }
}
