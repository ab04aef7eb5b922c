/** Finds rows by a number, such as the correlation of a call and its activities. */
import type { RowIndex } from './trace.ts';

/** Numbers with at most this average distance, as most have, are stored in an array; others in a map. */
const mostApart = 8;

/** Maps numbers to rows. */
export class RowsByNumber {
  readonly #least: number;
  /** Row + 1 by number. Pages of unused numbers are never written, so they take no memory. */
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

  /** Returns -1 if no row has the number. */
  get(number: number): RowIndex {
    return ((this.#near === null ? this.#far.get(number) : this.#near[number - this.#least]) ?? 0) - 1;
  }

  /** Sets the row of a number; -1 removes it. */
  set(number: number, row: RowIndex): void {
    if (this.#near === null) this.#far.set(number, row + 1);
    else this.#near[number - this.#least] = row + 1;
  }
}
