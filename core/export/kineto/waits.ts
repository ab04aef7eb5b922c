/**
 * Waits of streams for events. Kineto writes one event for a wait and its record together, at the time of the host's
 * call. A reader moves both to the times that the streams' work implies (core/import/streamWaits.ts), and takes the
 * record from the first wait that names it. So one wait is chosen to carry the record, with a time from which the
 * reader finds the times of both.
 */

import { append } from '../../groupBy.ts';
import { StreamWaits } from '../../import/streamWaits.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';
import type { FlowTable } from '../flowTable.ts';

const [waitCode, recordCode] = [rowKinds.indexOf('event-wait'), rowKinds.indexOf('event-record')];

export interface Wait {
  readonly record: RowIndex;
  readonly recordLane: number;
  /** Correlation of the call that recorded the event. */
  readonly correlation: number;
  /** Number of the event; null if unknown. */
  readonly event: number | null;
  /** Wait that carries the record. It must come before all others that name it. */
  readonly teller: RowIndex;
}

export class Waits {
  readonly #trace: Trace;
  readonly #flows: FlowTable;
  readonly #tellers = new Map<RowIndex, RowIndex>();

  constructor(trace: Trace, flows: FlowTable) {
    this.#trace = trace;
    this.#flows = flows;
    const waits = new Map<RowIndex, RowIndex[]>();
    const { kind, correlation } = trace.columns;
    for (let flow = 0; flow < flows.count; flow += 1) {
      const [record, wait] = [flows.from[flow] as number, flows.to[flow] as number];
      if (kind[record] !== recordCode || kind[wait] !== waitCode || correlation[record] === 0) continue;
      append(waits, record, wait);
    }
    const least = waits.size === 0 ? new Float64Array(0) : leastTimes(trace, waits);
    for (const [record, all] of waits) {
      const teller = all.find((wait) => this.#canTell(record, wait, least)) ?? all[0];
      if (teller !== undefined) this.#tellers.set(record, teller);
    }
  }

  /** Returns whether a time exists from which a reader finds the times of both, and the record's device. */
  #canTell(record: RowIndex, wait: RowIndex, least: Float64Array): boolean {
    const { columns, lanes } = this.#trace;
    const [reached, passed] = [columns.startNs[record] as number, columns.startNs[wait] as number];
    const place = (row: RowIndex): string | undefined => lanes[columns.lane[row] as number]?.device;
    if (place(record) !== place(wait)) return false;
    return (passed >= reached || least[record] === reached) && (passed <= reached || least[wait] === passed);
  }

  /** Returns whether a wait carries the record. */
  isKnown(record: RowIndex): boolean {
    return this.#tellers.has(record);
  }

  /** Returns null if the wait's record is unknown. */
  of(wait: RowIndex): Wait | null {
    const { columns, names } = this.#trace;
    for (let flow = this.#flows.firstIn[wait] as number; flow >= 0; flow = this.#flows.nextIn[flow] as number) {
      const record = this.#flows.from[flow] as number;
      const teller = this.#tellers.get(record);
      if (teller === undefined) continue;
      // An imported trace names the event. The number in its name is the one its own process used.
      const written = /^event (\S+), record \d+(?: of .*)?$/s.exec(names[columns.name[wait] as number] ?? '');
      return {
        record,
        recordLane: columns.lane[record] as number,
        correlation: columns.correlation[record] as number,
        event: written === null ? (columns.name[record] as number) : finite(Number(written[1])),
        teller,
      };
    }
    return null;
  }
}

const finite = (value: number): number | null => (Number.isFinite(value) ? value : null);

/** Returns where a reader would place waits and records called at the very beginning: by the work around them alone. */
function leastTimes({ columns, count }: Trace, waits: ReadonlyMap<RowIndex, readonly RowIndex[]>): Float64Array {
  const startNs = columns.startNs.slice();
  const placing = new StreamWaits();
  for (const [record, all] of waits) {
    placing.addRecord(record);
    startNs[record] = 0;
    for (const wait of all) {
      placing.addWait(wait);
      startNs[wait] = 0;
    }
  }
  placing.place({ ...columns, startNs }, count);
  return startNs;
}
