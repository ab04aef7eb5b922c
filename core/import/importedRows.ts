/** Rows of an imported trace while they are read: everything in columns, times relative to the first row's. */
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

const initialRows = 1 << 12;

/** A buffer that grows in place (ES2024; in Node since 20). */
type GrowingBuffer = ArrayBuffer & { resize(bytes: number): void };
const GrowingBuffer = ArrayBuffer as unknown as new (bytes: number, limit: { maxByteLength: number }) => GrowingBuffer;

type Column = Float64Array<GrowingBuffer> | Int32Array<GrowingBuffer> | Uint8Array<GrowingBuffer>;

/** Columns for at most that many rows. Copying them to grow would take as much memory again. */
function rowColumns(most: number) {
  const buffer = (bytes: number): GrowingBuffer =>
    new GrowingBuffer(bytes * initialRows, { maxByteLength: bytes * Math.max(initialRows, most) });
  const [doubles, integers, codes] = [
    () => new Float64Array(buffer(8), 0, initialRows),
    () => new Int32Array(buffer(4), 0, initialRows),
    () => new Uint8Array(buffer(1), 0, initialRows),
  ];
  return {
    startNs: doubles(),
    durationNs: doubles(),
    bytes: doubles(),
    lane: integers(),
    engine: integers(),
    name: integers(),
    correlation: integers(),
    channel: integers(),
    channelType: codes(),
    kind: codes(),
    srcMemory: codes(),
    dstMemory: codes(),
  };
}
type RowColumns = ReturnType<typeof rowColumns>;
const namesOf = (columns: RowColumns): (keyof RowColumns)[] => Object.keys(columns) as (keyof RowColumns)[];

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

/** Name of a wait whose event the trace doesn't name. */
export const unknownEvent = 'an event';

function resized(column: Float64Array, length: number): Float64Array {
  const made = new Float64Array(length);
  made.set(column.subarray(0, length));
  return made;
}

export class ImportedRows {
  readonly columns: RowColumns;
  readonly #most: number;
  #count = 0;
  /** Few formats have addresses. */
  #hostAddress: Float64Array | null = null;

  constructor(most: number = maxRunRows) {
    this.#most = most;
    this.columns = rowColumns(most);
  }

  get count(): number {
    return this.#count;
  }

  /** Number of rows for which there is room. */
  get room(): number {
    return this.#most - this.#count;
  }

  /** Why no more rows can be added; null while there is room for two, since one event may be a wait and its record. */
  get full(): string | null {
    return this.room < 2 ? `a trace has at most ${this.#most} rows` : null;
  }

  /** Adds a row without engine, channel, memories or correlation, which the caller sets. `startNs` may be negative. */
  add(startNs: number, durationNs: number, kind: number, lane: number, name: number): RowIndex {
    if (this.#count === this.columns.startNs.length) grow(this.columns, this.#most);
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

  setHostAddress(row: RowIndex, address: number): void {
    const length = this.columns.startNs.length;
    const column = this.#hostAddress ?? new Float64Array(length);
    this.#hostAddress = column.length < length ? resized(column, length) : column;
    this.#hostAddress[row] = address;
  }

  /**
   * Returns the trace of all rows, which begins with the first one, `leastNs` after the base of the rows' times.
   * `places` maps the rows' lane indices to positions in `lanes`. Don't use the object afterwards.
   */
  finish(
    { lanes, places }: { readonly lanes: readonly Lane[]; readonly places: Int32Array },
    names: readonly string[],
  ): { readonly trace: Trace; readonly leastNs: number } {
    const leastNs = this.#place(places);
    return { trace: traceFromColumns({ count: this.#count, columns: this.#taken(), lanes, names }), leastNs };
  }

  /** Makes times relative to the first row, and lanes those of the trace. */
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

  /** Hands over all columns, so that only one column is in memory twice. */
  #taken(): TraceColumns {
    const count = this.#count;
    const taken = {} as Record<keyof RowColumns, TraceColumns[keyof TraceColumns]>;
    for (const name of namesOf(this.columns)) {
      const column: Column = this.columns[name];
      taken[name] = column.slice(0, count);
      column.buffer.resize(0);
    }
    const rest = { op: new Int32Array(count).fill(-1), iteration: new Int32Array(count) };
    const hostAddress = this.#hostAddress === null ? null : resized(this.#hostAddress, count);
    this.#hostAddress = null;
    return {
      ...(taken as Omit<TraceColumns, keyof typeof rest | 'hostAddress'>),
      ...rest,
      ...(hostAddress === null ? {} : { hostAddress }),
    };
  }
}

function grow(columns: RowColumns, most: number): void {
  const length = Math.min(most, Math.ceil(columns.startNs.length * 1.5));
  const grown: Record<string, Column> = columns;
  for (const [name, column] of Object.entries(grown)) {
    column.buffer.resize(length * column.BYTES_PER_ELEMENT);
    grown[name] = new (column.constructor as new (buffer: GrowingBuffer, at: number, length: number) => Column)(
      column.buffer,
      0,
      length,
    );
  }
}
