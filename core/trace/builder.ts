/** The one door through which a trace is made: recorder, simulator and importers add rows, and each is validated. */
import { CopyscopeError } from '../errors.ts';
import {
  type ChannelType,
  channelTypes,
  type Lane,
  type LaneIndex,
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

/** Columns of `capacity` rows, all zero. */
export function emptyColumns(capacity: number): TraceColumns {
  return {
    startNs: new Float64Array(capacity),
    durationNs: new Float64Array(capacity),
    lane: new Int32Array(capacity),
    engine: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    name: new Int32Array(capacity),
    op: new Int32Array(capacity),
    correlation: new Int32Array(capacity),
    iteration: new Int32Array(capacity),
    bytes: new Float64Array(capacity),
    srcMemory: new Uint8Array(capacity),
    dstMemory: new Uint8Array(capacity),
    channel: new Int32Array(capacity),
    channelType: new Uint8Array(capacity),
  };
}

export class TraceBuilder {
  #columns = emptyColumns(initialCapacity);
  #count = 0;
  readonly #lanes: Lane[] = [];
  readonly #laneIndices = new Map<string, LaneIndex>();
  readonly #names: string[] = [];
  readonly #nameIndices = new Map<string, number>();

  /** Index of the lane with this id, declaring it where it is new. Lanes are shown in the order they are declared. */
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

  /** The finished trace, sorted by iteration and start. The builder can be dropped afterwards. */
  build(): Trace {
    const columns = sorted(resized(this.#columns, this.#count));
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
    requireNumber('startNs', row.startNs, 0);
    requireNumber('durationNs', row.durationNs, 0);
    requireNumber('bytes', row.bytes ?? 0, 0);
    requireInteger('op', row.op ?? -1, -1);
    requireInteger('iteration', row.iteration ?? 0, 0);
    requireInteger('correlation', row.correlation ?? 0, 0);
    requireInteger('channel', row.channel ?? -1, -1);
    this.#requireLane('lane', row.lane, row.kind);
    if (row.engine !== undefined && row.engine !== -1) this.#requireLane('engine', row.engine, row.kind);
    if (!kindCodes.has(row.kind)) throw invalid('kind', row.kind, `one of ${rowKinds.join(', ')}`);
  }

  #requireLane(column: 'lane' | 'engine', index: number, kind: RowKind): void {
    const lane = this.#lanes[index];
    if (lane === undefined) throw invalid(column, index, `below ${this.#lanes.length}, the number of declared lanes`);
    const onHost = kind.startsWith('host-') && kind !== 'host-function';
    const fits =
      column === 'engine'
        ? lane.kind === 'copy-engine' || lane.kind === 'compute'
        : lane.kind === (onHost ? 'host-thread' : 'stream');
    if (!fits) throw invalid(column, lane.id, `a lane on which a ${kind} row can lie`);
  }
}

function requireNumber(column: string, value: number, least: number): void {
  if (!Number.isFinite(value) || value < least) throw invalid(column, value, `a finite number of at least ${least}`);
}

function requireInteger(column: string, value: number, least: number): void {
  if (!Number.isInteger(value) || value < least || value > 0x7fffffff) {
    throw invalid(column, value, `an integer from ${least} to 2147483647`);
  }
}

function invalid(column: string, value: unknown, expected: string): CopyscopeError {
  return new CopyscopeError({
    code: 'trace.invalid',
    field: column,
    message: `${JSON.stringify(value)} is not ${expected}.`,
    remedy: 'The recording is damaged, or made by a faulty importer: record it again.',
  });
}

function resized(columns: TraceColumns, capacity: number): TraceColumns {
  const target = emptyColumns(capacity);
  for (const name of Object.keys(target) as (keyof TraceColumns)[]) {
    const source = columns[name];
    target[name].set(source.length > capacity ? source.subarray(0, capacity) : source);
  }
  return target;
}

/** Rows in order of iteration, start, and longer first, so that a range comes before what lies inside it. */
function sorted(columns: TraceColumns): TraceColumns {
  const { iteration, startNs, durationNs } = columns;
  const at = (column: Float64Array | Int32Array, index: number): number => column[index] ?? 0;
  const order = Uint32Array.from(startNs.keys()).sort(
    (a, b) =>
      at(iteration, a) - at(iteration, b) ||
      at(startNs, a) - at(startNs, b) ||
      at(durationNs, b) - at(durationNs, a) ||
      a - b,
  );
  const target = emptyColumns(order.length);
  for (const name of Object.keys(target) as (keyof TraceColumns)[]) {
    const [from, to] = [columns[name], target[name]];
    for (let index = 0; index < order.length; index += 1) to[index] = from[order[index] ?? 0] ?? 0;
  }
  return target;
}
