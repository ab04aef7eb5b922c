/** Times of a file, which may have more digits than a double: all are told from the first one that was read. */
import type { Cell } from './database.ts';

export class Clock {
  #base: bigint | null = null;
  /** The base as a number, where it is exact. */
  #small = Number.NaN;

  /** Nanoseconds since the first time read, exact; NaN where the cell holds no whole number, or one too far away. */
  since(cell: Cell): number {
    if (typeof cell === 'number') {
      if (!Number.isSafeInteger(cell)) return Number.NaN;
      if (this.#base === null) this.#setBase(BigInt(cell));
      const ns = Number.isNaN(this.#small) ? Number(BigInt(cell) - (this.#base ?? 0n)) : cell - this.#small;
      return Number.isSafeInteger(ns) ? ns : Number.NaN;
    }
    if (typeof cell !== 'bigint') return Number.NaN;
    if (this.#base === null) this.#setBase(cell);
    const ns = Number(cell - (this.#base ?? 0n));
    return Number.isSafeInteger(ns) ? ns : Number.NaN;
  }

  #setBase(time: bigint): void {
    this.#base = time;
    const small = Number(time);
    if (Number.isSafeInteger(small)) this.#small = small;
  }
}
