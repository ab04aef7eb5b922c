/** Queries on a trace's rows. Rows are sorted by iteration, so each iteration is one range. */
import { lowerBound } from '../lowerBound.ts';
import {
  type ChannelType,
  channelTypes,
  type Lane,
  type LaneIndex,
  type MemoryKind,
  memoryKinds,
  type RowIndex,
  type RowKind,
  rowKinds,
  type Trace,
} from './trace.ts';

/** Rows [from, to). */
export interface RowRange {
  readonly from: RowIndex;
  readonly to: RowIndex;
}

/** One row with its codes resolved, for inspectors rather than loops. */
export interface TraceRow {
  readonly row: RowIndex;
  readonly startNs: number;
  readonly durationNs: number;
  readonly endNs: number;
  readonly kind: RowKind;
  readonly name: string;
  readonly lane: Lane;
  readonly engine: Lane | null;
  /** Null if the trace doesn't come from an experiment. */
  readonly op: number | null;
  /** Null if unknown. */
  readonly correlation: number | null;
  readonly iteration: number;
  readonly bytes: number;
  readonly src: MemoryKind;
  readonly dst: MemoryKind;
  /** Null if it wasn't recorded. */
  readonly channel: number | null;
  readonly channelType: ChannelType;
}

export const allRows = (trace: Trace): RowRange => ({ from: 0, to: trace.count });

/** Returns the rows of one iteration; an empty range if there are none. */
export function iterationRows(trace: Trace, iteration: number): RowRange {
  const { iteration: column } = trace.columns;
  const from = lowerBound(0, trace.count, (row) => (column[row] ?? 0) < iteration);
  return { from, to: lowerBound(from, trace.count, (row) => (column[row] ?? 0) <= iteration) };
}

/** Returns the iterations that have rows, in order. */
export function iterationsOf(trace: Trace): number[] {
  const found: number[] = [];
  for (let row = 0; row < trace.count; ) {
    const iteration = trace.columns.iteration[row] ?? 0;
    found.push(iteration);
    row = iterationRows(trace, iteration).to;
  }
  return found;
}

/**
 * Returns the rows on a lane, in order of start. A host thread or stream has its own rows, a copy engine or compute
 * lane the rows it executed. A copy is one row, on the lanes of its stream and of its engine.
 */
export function laneRows(trace: Trace, lane: LaneIndex, range: RowRange = allRows(trace)): Uint32Array {
  const { lane: owner, engine } = trace.columns;
  const found = new Uint32Array(range.to - range.from);
  let count = 0;
  for (let row = range.from; row < range.to; row += 1) {
    if (owner[row] !== lane && engine[row] !== lane) continue;
    found[count] = row;
    count += 1;
  }
  return found.slice(0, count);
}

export const rowEndNs = ({ columns }: Trace, row: RowIndex): number =>
  (columns.startNs[row] ?? 0) + (columns.durationNs[row] ?? 0);

/** Returns nanoseconds from the start of the iteration to the end of its last row; 0 if there are no rows. */
export function makespanNs(trace: Trace, range: RowRange): number {
  let end = 0;
  for (let row = range.from; row < range.to; row += 1) end = Math.max(end, rowEndNs(trace, row));
  return end;
}

/** Returns one row as an object. Throws a RangeError if the row doesn't exist. */
export function readRow(trace: Trace, row: RowIndex): TraceRow {
  const { columns, lanes, names } = trace;
  const lane = lanes[columns.lane[row] ?? -1];
  if (!(row >= 0 && row < trace.count) || lane === undefined) throw new RangeError(`no row ${row} in the trace`);
  const orNull = (value: number | undefined, unknown: number): number | null =>
    value === undefined || value === unknown ? null : value;
  return {
    row,
    startNs: columns.startNs[row] ?? 0,
    durationNs: columns.durationNs[row] ?? 0,
    endNs: rowEndNs(trace, row),
    kind: rowKinds[columns.kind[row] ?? 0] ?? 'host-call',
    name: names[columns.name[row] ?? -1] ?? '',
    lane,
    engine: lanes[columns.engine[row] ?? -1] ?? null,
    op: orNull(columns.op[row], -1),
    correlation: orNull(columns.correlation[row], 0),
    iteration: columns.iteration[row] ?? 0,
    bytes: columns.bytes[row] ?? 0,
    src: memoryKinds[columns.srcMemory[row] ?? 0] ?? 'none',
    dst: memoryKinds[columns.dstMemory[row] ?? 0] ?? 'none',
    channel: orNull(columns.channel[row], -1),
    channelType: channelTypes[columns.channelType[row] ?? 0] ?? 'unknown',
  };
}
