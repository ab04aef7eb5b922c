/** Rules for valid rows. */
import { CopyscopeError } from '../errors.ts';
import {
  channelTypes,
  type Lane,
  type LaneKind,
  memoryKinds,
  type RowKind,
  rowKinds,
  type Trace,
  type TraceColumns,
} from './trace.ts';

/** Returns the lane kind of a row. host-* rows are on host threads, but a host function is work of its stream. */
export function laneKindOf(kind: RowKind): LaneKind {
  return kind.startsWith('host-') && kind !== 'host-function' ? 'host-thread' : 'stream';
}

const isEngineLane = (kind: LaneKind): boolean => kind === 'copy-engine' || kind === 'compute';

/** Largest integer of the trace's 32-bit columns. */
export const maxInt32 = 0x7fffffff;

function invalidRow(column: string, value: unknown, expected: string): CopyscopeError {
  return new CopyscopeError({
    code: 'trace.invalid',
    field: column,
    message: `${typeof value === 'number' ? value : JSON.stringify(value)} is not ${expected}.`,
    remedy: 'The recording is damaged, or made by a faulty importer: record it again.',
  });
}

/** Throws a CopyscopeError `trace.invalid` that names the first invalid value. */
export function validateColumns(trace: Trace): void {
  const { columns, count } = trace;
  validateOwn(columns, count);
  requireWithin('iteration', columns.iteration, count, 0, maxInt32);
  validateShared(trace);
}

/** Checks columns that a model of rows has: all except times, iteration and correlation. */
export function validateShared({ count, columns, lanes, names }: Trace): void {
  requireQuantities('bytes', columns.bytes, count);
  if (columns.hostAddress !== undefined) requireQuantities('hostAddress', columns.hostAddress, count);
  requireWithin('op', columns.op, count, -1, maxInt32);
  requireWithin('channel', columns.channel, count, -1, maxInt32);
  requireWithin('name', columns.name, count, 0, names.length - 1);
  requireWithin('kind', columns.kind, count, 0, rowKinds.length - 1);
  requireWithin('srcMemory', columns.srcMemory, count, 0, memoryKinds.length - 1);
  requireWithin('dstMemory', columns.dstMemory, count, 0, memoryKinds.length - 1);
  requireWithin('channelType', columns.channelType, count, 0, channelTypes.length - 1);
  requireWithin('lane', columns.lane, count, 0, lanes.length - 1);
  requireWithin('engine', columns.engine, count, -1, lanes.length - 1);
  requireLanes(columns.lane, columns.kind, count, lanes);
  requireEngines(columns.engine, columns.kind, count, lanes);
}

type OwnColumns = Pick<TraceColumns, 'startNs' | 'durationNs' | 'correlation'>;

/** Checks columns whose values differ in each row. */
export function validateOwn({ startNs, durationNs, correlation }: OwnColumns, count: number): void {
  requireQuantities('startNs', startNs, count);
  requireQuantities('durationNs', durationNs, count);
  requireWithin('correlation', correlation, count, 0, maxInt32);
}

function requireQuantities(name: string, values: Float64Array, count: number): void {
  for (let row = 0; row < count; row += 1) {
    const value = values[row] ?? Number.NaN;
    // Comparisons with NaN are false, so this rejects NaN too.
    if (!(value >= 0 && value < Number.POSITIVE_INFINITY)) {
      throw invalidRow(name, value, `a finite number of at least 0 (row ${row})`);
    }
  }
}

function requireWithin(name: string, values: Int32Array | Uint8Array, count: number, least: number, most: number) {
  // One loop per type, as in gather().
  const row =
    values instanceof Uint8Array ? byteOutside(values, count, least, most) : integerOutside(values, count, least, most);
  if (row < count) throw invalidRow(name, values[row] ?? Number.NaN, `from ${least} to ${most} (row ${row})`);
}

/** Returns the first row whose value is outside `least` to `most`; `count` if there is none. */
function integerOutside(values: Int32Array, count: number, least: number, most: number): number {
  for (let row = 0; row < count; row += 1) {
    const value = values[row] ?? Number.NaN;
    if (!(value >= least && value <= most)) return row;
  }
  return count;
}

function byteOutside(values: Uint8Array, count: number, least: number, most: number): number {
  for (let row = 0; row < count; row += 1) {
    const value = values[row] ?? Number.NaN;
    if (!(value >= least && value <= most)) return row;
  }
  return count;
}

function requireLanes(lane: Int32Array, kind: Uint8Array, count: number, lanes: readonly Lane[]): void {
  const onHost = Uint8Array.from(rowKinds, (name) => (laneKindOf(name) === 'host-thread' ? 1 : 0));
  const isHost = Uint8Array.from(lanes, (entry) => (entry.kind === 'host-thread' ? 1 : 0));
  const isStream = Uint8Array.from(lanes, (entry) => (entry.kind === 'stream' ? 1 : 0));
  for (let row = 0; row < count; row += 1) {
    const index = lane[row] ?? 0;
    const fits = onHost[kind[row] ?? 0] === 1 ? isHost[index] : isStream[index];
    if (fits !== 1) throw misplaced('lane', lanes[index], rowKinds[kind[row] ?? 0], row);
  }
}

function requireEngines(engine: Int32Array, kind: Uint8Array, count: number, lanes: readonly Lane[]): void {
  const fits = Uint8Array.from(lanes, (entry) => (isEngineLane(entry.kind) ? 1 : 0));
  for (let row = 0; row < count; row += 1) {
    const index = engine[row] ?? -1;
    if (index !== -1 && fits[index] !== 1) throw misplaced('engine', lanes[index], rowKinds[kind[row] ?? 0], row);
  }
}

function misplaced(column: string, lane: Lane | undefined, kind: RowKind | undefined, row: number): CopyscopeError {
  return invalidRow(column, lane?.id ?? null, `a lane on which a ${kind} row can lie (row ${row})`);
}
