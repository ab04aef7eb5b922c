/** Finds rows by a number that they have, as the correlation of a call and of what it put on the device. */
import type { RowIndex } from './trace.ts';

/** Numbers that are given in turn, as most are, stand in a list; those that lie further apart than this on average in a map. */
const mostApart = 8;

/** A row of each of the numbers that rows have. */
export class RowsByNumber {
  readonly #least: number;
  /** Rows + 1: memory of numbers that no row has is never written, and takes no room. */
  readonly #near: Int32Array | null;
  readonly #far = new Map<number, number>();

  constructor(numbers: Int32Array, begin: RowIndex, end: RowIndex) {
    let [least, most] = [Number.POSITIVE_INFINITY, 0];
    for (let row = begin; row < end; row += 1) {
      const number = numbers[row] as number;
      if (number === 0) continue;
      if (number < least) least = number;
      if (number > most) most = number;
    }
    const span = Math.max(0, most - least + 1);
    this.#least = least;
    this.#near = span <= mostApart * (end - begin) ? new Int32Array(span) : null;
  }

  /** -1 where it has none. */
  get(number: number): RowIndex {
    return ((this.#near === null ? this.#far.get(number) : this.#near[number - this.#least]) ?? 0) - 1;
  }

  /** -1 for none. */
  set(number: number, row: RowIndex): void {
    if (this.#near === null) this.#far.set(number, row + 1);
    else this.#near[number - this.#least] = row + 1;
  }
}
