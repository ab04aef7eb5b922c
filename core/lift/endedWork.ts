/** Finds what a host wait may have been for: work that was issued before it and had ended when it returned. */
import { lowerBound } from '../lowerBound.ts';
import { inOrder } from '../trace/inOrder.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';

/** Limit of searched rows, which only a damaged trace reaches: work that ended by then was issued by then. */
const mostLooked = 64;

export class EndedWork {
  readonly #trace: Trace;
  /** In order of end. */
  readonly #rows: Int32Array;

  /** `rows`: the result of lastToEnd() for each call. */
  constructor(trace: Trace, rows: readonly RowIndex[]) {
    this.#trace = trace;
    this.#rows = inOrder(Int32Array.from(rows), (row) => rowEndNs(trace, row));
  }

  /** Returns the issued work that ended last by a time; -1 if there is none. */
  by(ns: number, isIssued: (row: RowIndex) => boolean): RowIndex {
    const ended = lowerBound(0, this.#rows.length, (at) => rowEndNs(this.#trace, this.#rows[at] ?? -1) <= ns);
    const last = this.#rows.subarray(Math.max(0, ended - mostLooked), ended).findLast(isIssued);
    return last ?? -1;
  }
}

/** Returns the activity of a call that ends last. An event can only come after all of them. */
export function lastToEnd(trace: Trace, activities: readonly RowIndex[]): RowIndex {
  return activities.reduce(
    (last, row) => (rowEndNs(trace, row) > rowEndNs(trace, last) ? row : last),
    activities[0] ?? -1,
  );
}
