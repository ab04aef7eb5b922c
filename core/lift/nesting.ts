/**
 * Stretches of time that mostly nest, as calls do in calls. Which of them hold a moment is asked without a look at those
 * that are over: of each the last one that was still open when it began is known, and that one's, and so on.
 */
import { lowerBound } from '../lowerBound.ts';

export class Nesting {
  readonly #count: number;
  readonly #startOf: (index: number) => number;
  readonly #endOf: (index: number) => number;
  /** Of each the one that was open around its begin; -1 for none. */
  readonly #around: Int32Array;

  /** In order of their starts. */
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

  /** Those that hold all from `fromNs` to `toNs`: the one that began last comes first. */
  *holding(fromNs: number, toNs: number): Generator<number> {
    const begun = lowerBound(0, this.#count, (index) => this.#startOf(index) <= fromNs);
    for (let index = begun - 1; index >= 0; index = this.#around[index] ?? -1) {
      if (this.#endOf(index) >= toNs) yield index;
    }
  }
}
