/** Builds a trace row by row, for recorders. The simulator, which makes millions of rows, uses rowWriter.ts. */
import { columnNames, sortOwned } from './order.ts';
import { validateColumns } from './rules.ts';
import {
  type ChannelType,
  channelTypes,
  emptyColumns,
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

const initialCapacity = 256;

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

  add(row: Row): void {
    if (this.#count === this.#columns.startNs.length) this.#columns = resized(this.#columns, this.#count * 2);
    const index = this.#count;
    this.#count += 1;
    const columns = this.#columns;
    // A word that a column doesn't have becomes 255, which build() refuses.
    columns.startNs[index] = row.startNs;
    columns.durationNs[index] = row.durationNs;
    columns.lane[index] = row.lane;
    columns.engine[index] = row.engine ?? -1;
    columns.kind[index] = rowKinds.indexOf(row.kind);
    columns.name[index] = this.#name(row.name);
    columns.op[index] = row.op ?? -1;
    columns.correlation[index] = row.correlation ?? 0;
    columns.iteration[index] = row.iteration ?? 0;
    columns.bytes[index] = row.bytes ?? 0;
    columns.srcMemory[index] = memoryKinds.indexOf(row.src ?? 'none');
    columns.dstMemory[index] = memoryKinds.indexOf(row.dst ?? 'none');
    columns.channel[index] = row.channel ?? -1;
    columns.channelType[index] = channelTypes.indexOf(row.channelType ?? 'unknown');
  }

  /** Returns the finished trace. Don't use the builder afterwards. Throws what traceFromColumns throws. */
  build(): Trace {
    const columns = resized(this.#columns, this.#count);
    return traceFromColumns({ count: this.#count, columns, lanes: [...this.#lanes], names: [...this.#names] });
  }

  #name(text: string): number {
    const existing = this.#nameIndices.get(text);
    if (existing !== undefined) return existing;
    const index = this.#names.push(text) - 1;
    this.#nameIndices.set(text, index);
    return index;
  }
}

/**
 * Makes a trace from filled columns, for readers of millions of rows. Sorts and checks them.
 * The columns may be longer than `count` and then belong to the trace. Throws a CopyscopeError `trace.invalid`.
 */
export function traceFromColumns({ count, columns, lanes, names }: Trace): Trace {
  validateColumns({ count, columns, lanes, names });
  return { count, columns: sortOwned(columns, count), lanes, names };
}

function resized(columns: TraceColumns, capacity: number): TraceColumns {
  const target = emptyColumns(capacity);
  for (const name of columnNames(target)) {
    const source = columns[name];
    target[name].set(source.length > capacity ? source.subarray(0, capacity) : source);
  }
  return target;
}
