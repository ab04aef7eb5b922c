/** The rows of an imported trace while they are read: everything in columns, times relative to the first row's. */
import { maxRunRows } from '../trace/arrow/guard.ts';
import { traceFromColumns } from '../trace/builder.ts';
import {
  type Lane,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
  type TraceColumns,
} from '../trace/trace.ts';
import { larger } from './textTable.ts';

const initialRows = 1 << 12;

const rowColumns = (count: number) => ({
  startNs: new Float64Array(count),
  durationNs: new Float64Array(count),
  bytes: new Float64Array(count),
  lane: new Int32Array(count),
  engine: new Int32Array(count),
  name: new Int32Array(count),
  correlation: new Int32Array(count),
  channel: new Int32Array(count),
  channelType: new Uint8Array(count),
  kind: new Uint8Array(count),
  srcMemory: new Uint8Array(count),
  dstMemory: new Uint8Array(count),
});
type RowColumns = ReturnType<typeof rowColumns>;

const codeOf = (kind: RowKind): number => rowKinds.indexOf(kind);
export const memoryCode = (memory: MemoryKind): number => memoryKinds.indexOf(memory);
export const rowCodes = {
  range: codeOf('host-range'),
  work: codeOf('host-work'),
  call: codeOf('host-call'),
  sync: codeOf('host-sync'),
  copy: codeOf('copy'),
  kernel: codeOf('kernel'),
  memset: codeOf('memset'),
  record: codeOf('event-record'),
  wait: codeOf('event-wait'),
} as const;
const noMemory = memoryCode('none');

/** The name of a wait whose event the trace doesn't tell. */
export const unknownEvent = 'an event';

export class ImportedRows {
  readonly columns: RowColumns = rowColumns(initialRows);
  readonly #most: number;
  #count = 0;

  constructor(most: number = maxRunRows) {
    this.#most = most;
  }

  get count(): number {
    return this.#count;
  }

  /** Rows for which there is room. */
  get room(): number {
    return this.#most - this.#count;
  }

  /** Why no more can be taken; null while there is room for two rows, as a wait and its record are one event's. */
  get full(): string | null {
    return this.room < 2 ? `a trace holds at most ${this.#most} rows` : null;
  }

  /** A new row without an engine, channel, memories or correlation; `startNs` may be below 0. The caller fills in the rest. */
  add(startNs: number, durationNs: number, kind: number, lane: number, name: number): RowIndex {
    if (this.#count === this.columns.startNs.length) grow(this.columns);
    const row = this.#count;
    this.#count += 1;
    const { columns } = this;
    columns.startNs[row] = startNs;
    columns.durationNs[row] = durationNs;
    columns.kind[row] = kind;
    columns.lane[row] = lane;
    columns.engine[row] = -1;
    columns.channel[row] = -1;
    columns.name[row] = name;
    columns.srcMemory[row] = noMemory;
    columns.dstMemory[row] = noMemory;
    return row;
  }

  /**
   * The trace of all rows, which begins with the first of them, `leastNs` after what the rows' times count from. `places`
   * is for each lane index of the rows its place in `lanes`. The object can be dropped afterwards.
   */
  finish(
    { lanes, places }: { readonly lanes: readonly Lane[]; readonly places: Int32Array },
    names: readonly string[],
  ): { readonly trace: Trace; readonly leastNs: number } {
    const leastNs = this.#place(places);
    return { trace: traceFromColumns({ count: this.#count, columns: this.#taken(), lanes, names }), leastNs };
  }

  /** Has times count from the first row, and lanes be those of the trace. */
  #place(places: Int32Array): number {
    const { startNs, lane, engine } = this.columns;
    let leastNs = 0;
    for (let row = 0; row < this.#count; row += 1) {
      if (row === 0 || (startNs[row] ?? 0) < leastNs) leastNs = startNs[row] ?? 0;
    }
    for (let row = 0; row < this.#count; row += 1) {
      startNs[row] = (startNs[row] ?? 0) - leastNs;
      lane[row] = places[lane[row] ?? 0] ?? 0;
      const on = engine[row] ?? -1;
      if (on >= 0) engine[row] = places[on] ?? -1;
    }
    return leastNs;
  }

  /** All columns; these rows have none afterwards, so that each can go as soon as another has taken its place. */
  #taken(): TraceColumns {
    const capacity = this.columns.startNs.length;
    const columns = {
      ...this.columns,
      op: new Int32Array(capacity).fill(-1, 0, this.#count),
      iteration: new Int32Array(capacity),
    };
    Object.assign(this.columns, rowColumns(0));
    return columns;
  }
}

/** A column at a time: only one of them is there twice. */
function grow(columns: RowColumns): void {
  const length = Math.ceil(columns.startNs.length * 1.5);
  columns.startNs = larger(columns.startNs, length);
  columns.durationNs = larger(columns.durationNs, length);
  columns.bytes = larger(columns.bytes, length);
  columns.lane = larger(columns.lane, length);
  columns.engine = larger(columns.engine, length);
  columns.name = larger(columns.name, length);
  columns.correlation = larger(columns.correlation, length);
  columns.channel = larger(columns.channel, length);
  columns.channelType = larger(columns.channelType, length);
  columns.kind = larger(columns.kind, length);
  columns.srcMemory = larger(columns.srcMemory, length);
  columns.dstMemory = larger(columns.dstMemory, length);
}
