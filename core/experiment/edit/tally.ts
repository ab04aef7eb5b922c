/** A sum over all operations of a document that is asked for again after each edit. */
import { type Experiment, eachOperation } from '../experiment.ts';
import type { Operation } from '../operations.ts';
import { changedPart } from './changedPart.ts';

/** Remembers the document it was asked about last: of the next one it looks only at what an edit has changed. */
export class Tally {
  readonly #weigh: (operation: Operation) => number;
  #threads: Experiment['threads'] = [];
  #sums: readonly number[] = [];

  /** `weigh` gives the part of one operation, a whole number, without those that it holds. */
  constructor(weigh: (operation: Operation) => number) {
    this.#weigh = weigh;
  }

  of({ threads }: Experiment): number {
    this.#sums = threads.map(({ operations }, thread) => {
      const before = this.#threads[thread]?.operations ?? [];
      const { start, endBefore, endAfter } = changedPart(before, operations);
      const gone = this.#sum(before, start, endBefore);
      return (this.#sums[thread] ?? 0) - gone + this.#sum(operations, start, endAfter);
    });
    this.#threads = threads;
    return this.#sums.reduce((sum, one) => sum + one, 0);
  }

  #sum(operations: readonly Operation[], start: number, end: number): number {
    let sum = 0;
    eachOperation(operations.slice(start, end), (operation) => {
      sum += this.#weigh(operation);
    });
    return sum;
  }
}
