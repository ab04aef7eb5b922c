/**
 * Builds a trace row by row and validates each row, for recorders. Simulator and importers, which make millions of
 * rows, use rowWriter.ts, which validates everything at the end.
 */
import { columnNames, sortedColumns, sortOwned } from './order.ts';
import { invalidRow, isEngineLane, laneKindOf, leastValues, maxInt32, validateColumns } from './rules.ts';
import {
  type ChannelType,
  channelTypes,
  emptyColumns,
  type Lane,
  type LaneIndex,
  type LaneKind,
  type MemoryKind,
  memoryKinds,
  type RowKind,
  rowKinds,
  type Trace,
  type TraceColumns,
} from './trace.ts';

export interface Row {
  /** Nanoseconds from the start of the row's iteration; at least 0. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly lane: LaneIndex;
  readonly kind: RowKind;
  readonly name: string;
  readonly engine?: LaneIndex;
  readonly op?: number;
  readonly correlation?: number;
  readonly iteration?: number;
  readonly bytes?: number;
  readonly src?: MemoryKind;
  readonly dst?: MemoryKind;
  readonly channel?: number;
  readonly channelType?: ChannelType;
}

const kindCodes = codes(rowKinds);
const memoryCodes = codes(memoryKinds);
const channelCodes = codes(channelTypes);
const initialCapacity = 256;

function codes<Name extends string>(names: readonly Name[]): ReadonlyMap<Name, number> {
  return new Map(names.map((name, code) => [name, code]));
}

export class TraceBuilder {
  #columns = emptyColumns(initialCapacity);
  #count = 0;
  readonly #lanes: Lane[] = [];
  readonly #laneIndices = new Map<string, LaneIndex>();
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();

  /** Returns the index of the lane with this id, and declares it if it is new. Lanes are shown in this order. */
  lane(lane: Lane): LaneIndex {
    const existing = this.#laneIndices.get(lane.id);
    if (existing !== undefined) return existing;
    const index = this.#lanes.push(lane) - 1;
    this.#laneIndices.set(lane.id, index);
    return index;
  }

  /** Adds a row. Throws a CopyscopeError `trace.invalid` that names the column and the value. */
  add(row: Row): void {
    this.#validate(row);
    if (this.#count === this.#columns.startNs.length) this.#columns = resized(this.#columns, this.#count * 2);
    const index = this.#count;
    this.#count += 1;
    const columns = this.#columns;
    columns.startNs[index] = row.startNs;
    columns.durationNs[index] = row.durationNs;
    columns.lane[index] = row.lane;
    columns.engine[index] = row.engine ?? -1;
    columns.kind[index] = kindCodes.get(row.kind) ?? 0;
    columns.name[index] = this.#name(row.name);
    columns.op[index] = row.op ?? -1;
    columns.correlation[index] = row.correlation ?? 0;
    columns.iteration[index] = row.iteration ?? 0;
    columns.bytes[index] = row.bytes ?? 0;
    columns.srcMemory[index] = memoryCodes.get(row.src ?? 'none') ?? 0;
    columns.dstMemory[index] = memoryCodes.get(row.dst ?? 'none') ?? 0;
    columns.channel[index] = row.channel ?? -1;
    columns.channelType[index] = channelCodes.get(row.channelType ?? 'unknown') ?? 0;
  }

  /** Returns the finished trace, sorted by iteration and start. Don't use the builder afterwards. */
  build(): Trace {
    const columns = sortedColumns(this.#columns, this.#count);
    return { count: this.#count, columns, lanes: [...this.#lanes], names: [...this.#names] };
  }

  #name(text: string): number {
    const existing = this.#nameIndices.get(text);
    if (existing !== undefined) return existing;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }

  #validate(row: Row): void {
    requireNumber('startNs', row.startNs);
    requireNumber('durationNs', row.durationNs);
    requireNumber('bytes', row.bytes ?? 0);
    requireInteger('op', row.op ?? -1);
    requireInteger('iteration', row.iteration ?? 0);
    requireInteger('correlation', row.correlation ?? 0);
    requireInteger('channel', row.channel ?? -1);
    requireWord('kind', row.kind, kindCodes);
    requireWord('src', row.src ?? 'none', memoryCodes);
    requireWord('dst', row.dst ?? 'none', memoryCodes);
    requireWord('channelType', row.channelType ?? 'unknown', channelCodes);
    const wanted = laneKindOf(row.kind);
    this.#requireLane('lane', row.lane, row.kind, (kind) => kind === wanted);
    if (row.engine !== undefined && row.engine !== -1) this.#requireLane('engine', row.engine, row.kind, isEngineLane);
  }

  #requireLane(column: string, index: number, row: RowKind, fits: (kind: LaneKind) => boolean): void {
    const lane = this.#lanes[index];
    if (lane === undefined) {
      throw invalidRow(column, index, `below ${this.#lanes.length}, the number of declared lanes`);
    }
    if (!fits(lane.kind)) throw invalidRow(column, lane.id, `a lane on which a ${row} row can lie`);
  }
}

/**
 * Makes a trace from filled columns, for readers of millions of rows. Sorts them and checks the same rules as `add`.
 * The columns may be longer than `count` and then belong to the trace. Throws a CopyscopeError `trace.invalid`.
 */
export function traceFromColumns({ count, columns, lanes, names }: Trace): Trace {
  validateColumns({ count, columns, lanes, names });
  return { count, columns: sortOwned(columns, count), lanes, names };
}

function requireNumber(column: keyof typeof leastValues, value: number): void {
  const least = leastValues[column];
  if (!Number.isFinite(value) || value < least) {
    throw invalidRow(column, value, `a finite number of at least ${least}`);
  }
}

function requireInteger(column: keyof typeof leastValues, value: number): void {
  const least = leastValues[column];
  if (!Number.isInteger(value) || value < least || value > maxInt32) {
    throw invalidRow(column, value, `an integer from ${least} to ${maxInt32}`);
  }
}

function requireWord<Name extends string>(column: string, value: Name, known: ReadonlyMap<Name, number>): void {
  if (!known.has(value)) throw invalidRow(column, value, `one of ${[...known.keys()].join(', ')}`);
}

function resized(columns: TraceColumns, capacity: number): TraceColumns {
  const target = emptyColumns(capacity);
  for (const name of columnNames(target)) {
    const source = columns[name];
    target[name].set(source.length > capacity ? source.subarray(0, capacity) : source);
  }
  return target;
}
