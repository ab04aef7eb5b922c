/** What a wait of the host can have been for: of the work that was issued before it, what had ended by the time it returned. */
import { lowerBound } from '../lowerBound.ts';
import { inOrder } from '../trace/inOrder.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';

/** Work that ended by then is issued by then, but for what differs between clocks; a damaged trace may have much more of it. */
const mostLooked = 64;

export class EndedWork {
  readonly #trace: Trace;
  /** In order of end. */
  readonly #rows: Int32Array;

  /** `rows`: of each call what lastToEnd() tells of it. */
  constructor(trace: Trace, rows: readonly RowIndex[]) {
    this.#trace = trace;
    this.#rows = inOrder(Int32Array.from(rows), (row) => rowEndNs(trace, row));
  }

  /** What ended last by a time, of what was issued; -1 for none. */
  by(ns: number, isIssued: (row: RowIndex) => boolean): RowIndex {
    const ended = lowerBound(0, this.#rows.length, (at) => rowEndNs(this.#trace, this.#rows[at] ?? -1) <= ns);
    const last = this.#rows.subarray(Math.max(0, ended - mostLooked), ended).findLast(isIssued);
    return last ?? -1;
  }
}

/** Of what one call put on the device; an event can only stand behind all of that. */
export function lastToEnd(trace: Trace, activities: readonly RowIndex[]): RowIndex {
  return activities.reduce(
    (last, row) => (rowEndNs(trace, row) > rowEndNs(trace, last) ? row : last),
    activities[0] ?? -1,
  );
}
