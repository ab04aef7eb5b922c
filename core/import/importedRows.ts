/** The rows of an imported trace while they are read: everything in columns, times relative to the first row's. */
import { maxRunRows } from '../trace/arrow/guard.ts';
import { traceFromColumns } from '../trace/builder.ts';
import {
  emptyColumns,
  type Lane,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
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
  columns: RowColumns = rowColumns(initialRows);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Why no more can be taken; null while there is room. */
  get full(): string | null {
    return this.#count >= maxRunRows ? `a trace holds at most ${maxRunRows} rows` : null;
  }

  /** A new row without an engine, channel, memories or correlation; `startNs` may be below 0. The caller fills in the rest. */
  add(startNs: number, durationNs: number, kind: number, lane: number, name: number): RowIndex {
    if (this.#count === this.columns.startNs.length) this.columns = grown(this.columns);
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
    const [count, read] = [this.#count, this.columns];
    let leastNs = 0;
    for (let row = 0; row < count; row += 1) {
      if (row === 0 || (read.startNs[row] ?? 0) < leastNs) leastNs = read.startNs[row] ?? 0;
    }
    for (let row = 0; row < count; row += 1) {
      read.startNs[row] = (read.startNs[row] ?? 0) - leastNs;
      read.lane[row] = places[read.lane[row] ?? 0] ?? 0;
      const engine = read.engine[row] ?? -1;
      if (engine >= 0) read.engine[row] = places[engine] ?? -1;
    }
    const rest = emptyColumns(read.startNs.length);
    const columns = { ...rest, ...read, op: rest.op.fill(-1) };
    this.columns = rowColumns(0);
    return { trace: traceFromColumns({ count, columns, lanes, names }), leastNs };
  }
}

const grown = (columns: RowColumns): RowColumns => {
  const length = Math.ceil(columns.startNs.length * 1.5);
  return {
    startNs: larger(columns.startNs, length),
    durationNs: larger(columns.durationNs, length),
    bytes: larger(columns.bytes, length),
    lane: larger(columns.lane, length),
    engine: larger(columns.engine, length),
    name: larger(columns.name, length),
    correlation: larger(columns.correlation, length),
    channel: larger(columns.channel, length),
    channelType: larger(columns.channelType, length),
    kind: larger(columns.kind, length),
    srcMemory: larger(columns.srcMemory, length),
    dstMemory: larger(columns.dstMemory, length),
  };
};
