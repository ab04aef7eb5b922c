/**
 * Calls of host threads, in columns: a trace has millions of them, and objects would take more memory than the trace.
 * Single calls are turned into objects on request.
 */
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';

export const callKinds = ['launch', 'copy', 'record', 'wait', 'sync', 'memory'] as const;
export type CallKind = (typeof callKinds)[number];

export interface Call {
  readonly row: RowIndex;
  readonly kind: CallKind;
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
  /** Its activities on the device, in order of start. */
  readonly activities: readonly RowIndex[];
}

/** Properties of a trace's calls, by row. */
export interface CallColumns {
  /** Index into callKinds. */
  readonly kind: Uint8Array;
  /** For a call, its first activity + 1; for an activity, the next one of its call + 1; 0 if there is none. */
  readonly next: Int32Array;
}

export class Calls {
  readonly #trace: Trace;
  readonly #columns: CallColumns;
  readonly rows: Int32Array;

  /** `rows` in order of start. */
  constructor(trace: Trace, columns: CallColumns, rows: Int32Array) {
    this.#trace = trace;
    this.#columns = columns;
    this.rows = rows;
  }

  get length(): number {
    return this.rows.length;
  }

  /** Returns the start of a call. A place beyond the last has no call and starts at no time. */
  startNs(place: number): number {
    return this.#trace.columns.startNs[this.rows[place] ?? -1] ?? 0;
  }

  endNs(place: number): number {
    return rowEndNs(this.#trace, this.rows[place] ?? -1);
  }

  kind(place: number): CallKind | undefined {
    return callKinds[this.#columns.kind[this.rows[place] ?? -1] ?? -1];
  }

  /** Returns the first activity of a call; -1 if it has none. */
  firstActivity(place: number): RowIndex {
    return this.activityOf(this.rows[place] ?? -1);
  }

  /** Returns the first activity of the call in this row. */
  activityOf(call: RowIndex): RowIndex {
    return (this.#columns.next[call] ?? 0) - 1;
  }

  /** Returns the next activity of the same call; -1 if there is none. */
  nextActivity(activity: RowIndex): RowIndex {
    return (this.#columns.next[activity] ?? 0) - 1;
  }

  activities(place: number): RowIndex[] {
    const rows: RowIndex[] = [];
    for (let row = this.firstActivity(place); row >= 0; row = this.nextActivity(row)) rows.push(row);
    return rows;
  }

  slice(from: number, to: number): Call[] {
    return Array.from(this.rows.subarray(from, to), (row, index) => ({
      row,
      kind: this.kind(from + index) ?? 'launch',
      name: this.#trace.names[this.#trace.columns.name[row] ?? -1] ?? '',
      startNs: this.startNs(from + index),
      endNs: this.endNs(from + index),
      activities: this.activities(from + index),
    }));
  }
}
