/** One iteration of a trace, the input of every analysis, and functions that read its rows. */
import { iterationRows, makespanNs, rowEndNs } from './rows.ts';
import {
  type ChannelType,
  type CopyDirection,
  channelTypes,
  copyDirection,
  type Lane,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
} from './trace.ts';

export interface Iteration {
  readonly trace: Trace;
  readonly number: number;
  /** Its rows are begin to end - 1, sorted by start. */
  readonly begin: RowIndex;
  readonly end: RowIndex;
}

/** Returns the rows of iteration `number`; there may be none. */
export function iterationOf(trace: Trace, number: number): Iteration {
  const { from, to } = iterationRows(trace, number);
  return { trace, number, begin: from, end: to };
}

/** One row, decoded. */
export interface Activity {
  readonly row: RowIndex;
  readonly kind: RowKind;
  readonly name: string;
  readonly op: number;
  readonly correlation: number;
  /** Index of its host-thread or stream lane. */
  readonly lane: number;
  readonly laneId: string;
  /** Index of its copy-engine or compute lane; -1 if it has none. */
  readonly engine: number;
  readonly engineKind: Lane['kind'] | null;
  readonly device: string;
  readonly startNs: number;
  readonly endNs: number;
  readonly bytes: number;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Direction of a copy, if its memory kinds or its engine lane tell it; otherwise null. */
  readonly direction: CopyDirection | null;
  /** Queue of the copy engine; -1 if unknown. */
  readonly channel: number;
  readonly channelType: ChannelType;
}

const codeOf = (kind: RowKind): number => rowKinds.indexOf(kind);

/** Returns the rows of an iteration whose kind is in `kinds`, in order of start. */
export function rowsOfKind(iteration: Iteration, ...kinds: readonly RowKind[]): RowIndex[] {
  const rows: RowIndex[] = [];
  eachRowOfKind(iteration, kinds, (row) => rows.push(row));
  return rows;
}

/** Calls `take` for each such row, since a list of millions takes memory. */
export function eachRowOfKind(iteration: Iteration, kinds: readonly RowKind[], take: (row: RowIndex) => void): void {
  const isWanted = new Uint8Array(256);
  for (const kind of kinds) isWanted[codeOf(kind)] = 1;
  const { kind } = iteration.trace.columns;
  for (let row = iteration.begin; row < iteration.end; row += 1) if (isWanted[kind[row] ?? 255] === 1) take(row);
}

/** A growing list of rows, in half the memory of an array. */
export class RowList {
  #rows = new Int32Array(16);
  length = 0;

  push(row: RowIndex): void {
    if (this.length === this.#rows.length) {
      const more = new Int32Array(2 * this.length);
      more.set(this.#rows);
      this.#rows = more;
    }
    this.#rows[this.length] = row;
    this.length += 1;
  }

  get rows(): Int32Array {
    return this.#rows.subarray(0, this.length);
  }
}

export const rowKind = (trace: Trace, row: RowIndex): RowKind => rowKinds[trace.columns.kind[row] ?? 0] ?? 'host-range';

export const rowStart = (trace: Trace, row: RowIndex): number => trace.columns.startNs[row] ?? 0;

/** Returns a copy's direction from its memory kinds, or else from its copy engine. */
export function rowDirection(trace: Trace, row: RowIndex): CopyDirection | null {
  const { srcMemory, dstMemory, engine } = trace.columns;
  const src = memoryKinds[srcMemory[row] ?? 0] ?? 'none';
  const dst = memoryKinds[dstMemory[row] ?? 0] ?? 'none';
  return copyDirection(src, dst) ?? trace.lanes[engine[row] ?? -1]?.direction ?? null;
}

/** Returns the device of a row's engine, or else of its stream. Empty for host rows. */
export function rowDevice(trace: Trace, row: RowIndex): string {
  const { engine, lane } = trace.columns;
  return (trace.lanes[engine[row] ?? -1] ?? trace.lanes[lane[row] ?? -1])?.device ?? '';
}

export function activity(trace: Trace, row: RowIndex): Activity {
  const { columns, lanes, names } = trace;
  const lane = columns.lane[row] ?? -1;
  const engine = columns.engine[row] ?? -1;
  const kind = rowKind(trace, row);
  return {
    row,
    kind,
    name: names[columns.name[row] ?? -1] ?? '',
    op: columns.op[row] ?? -1,
    correlation: columns.correlation[row] ?? 0,
    lane,
    laneId: lanes[lane]?.id ?? '',
    engine,
    engineKind: lanes[engine]?.kind ?? null,
    device: rowDevice(trace, row),
    startNs: rowStart(trace, row),
    endNs: rowEndNs(trace, row),
    bytes: columns.bytes[row] ?? 0,
    src: memoryKinds[columns.srcMemory[row] ?? 0] ?? 'none',
    dst: memoryKinds[columns.dstMemory[row] ?? 0] ?? 'none',
    direction: kind === 'copy' ? rowDirection(trace, row) : null,
    channel: columns.channel[row] ?? -1,
    channelType: channelTypes[columns.channelType[row] ?? 0] ?? 'unknown',
  };
}

/** Returns the time from the iteration's start to the end of its last activity; null if it has no rows. */
export const makespan = ({ trace, begin, end }: Iteration): number | null =>
  begin < end ? makespanNs(trace, { from: begin, to: end }) : null;
