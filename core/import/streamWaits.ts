/**
 * Computes when streams passed their waits and reached their recorded events. A profiler trace only has the times of
 * the host's calls. A wait ends at the latest when the next work of its stream begins, and an event is reached when the
 * last work before it in its stream has ended. Correlations, which CUPTI counts up call by call, give the order.
 */
import { lowerBound } from '../lowerBound.ts';
import type { RowIndex } from '../trace/trace.ts';

/** Columns that are read and set. */
interface Columns {
  readonly startNs: Float64Array;
  readonly durationNs: Float64Array;
  readonly lane: Int32Array;
  readonly correlation: Int32Array;
}

export class StreamWaits {
  readonly #waits: RowIndex[] = [];
  readonly #records: RowIndex[] = [];
  readonly #recorded = new Set<string>();

  addWait(row: RowIndex): void {
    this.#waits.push(row);
  }

  addRecord(row: RowIndex): void {
    this.#records.push(row);
  }

  /** Returns whether no wait so far has named the event that this call recorded. Each process counts its calls anew. */
  isNew(process: string | number, recordingCall: number): boolean {
    const key = `${process} ${recordingCall}`;
    const isNew = !this.#recorded.has(key);
    this.#recorded.add(key);
    return isNew;
  }

  /** Sets the times of all waits and records. */
  place(columns: Columns, count: number): void {
    const { startNs, lane, correlation } = columns;
    const work = this.#workOfLanes(columns, count);
    for (const row of this.#waits) {
      const rows = work.get(lane[row] ?? -1) ?? [];
      const next =
        rows[lowerBound(0, rows.length, (at) => (correlation[rows[at] ?? 0] ?? 0) <= (correlation[row] ?? 0))];
      if (next !== undefined) startNs[row] = Math.max(startNs[row] ?? 0, startNs[next] ?? 0);
    }
    // By the last row of a call: a graph has many rows, and many events may be recorded after it.
    const ends = new Map<RowIndex, number>();
    for (const row of this.#records) {
      const rows = work.get(lane[row] ?? -1) ?? [];
      const after = lowerBound(0, rows.length, (at) => (correlation[rows[at] ?? 0] ?? 0) < (correlation[row] ?? 0));
      const last = rows[after - 1];
      if (last === undefined) continue;
      const endNs = ends.get(last) ?? this.#endOfCall(columns, rows, after - 1);
      ends.set(last, endNs);
      startNs[row] = Math.max(startNs[row] ?? 0, endNs);
    }
  }

  /** Returns the end of a call. Nodes of a graph share its launch's number, and the last to begin need not end last. */
  #endOfCall({ startNs, durationNs, correlation }: Columns, rows: readonly RowIndex[], last: number): number {
    const number = correlation[rows[last] ?? 0];
    let endNs = Number.NEGATIVE_INFINITY;
    for (let at = last; at >= 0 && correlation[rows[at] ?? 0] === number; at -= 1) {
      const row = rows[at] ?? 0;
      endNs = Math.max(endNs, (startNs[row] ?? 0) + (durationNs[row] ?? 0));
    }
    return endNs;
  }

  /** Returns rows of streams with a wait or record, by correlation, each list in order of start. */
  #workOfLanes({ startNs, lane, correlation }: Columns, count: number): Map<number, RowIndex[]> {
    const marks = new Set([...this.#waits, ...this.#records]);
    const lanes = new Map<number, RowIndex[]>([...marks].map((row) => [lane[row] ?? -1, []]));
    if (lanes.size === 0) return lanes;
    for (let row = 0; row < count; row += 1) {
      if ((correlation[row] ?? 0) > 0 && !marks.has(row)) lanes.get(lane[row] ?? -1)?.push(row);
    }
    for (const rows of lanes.values()) {
      rows.sort((a, b) => (correlation[a] ?? 0) - (correlation[b] ?? 0) || (startNs[a] ?? 0) - (startNs[b] ?? 0));
    }
    return lanes;
  }
}
