/**
 * The columnar trace. A row is one activity; row i is element i of every column. Three ways to make one differ in
 * speed: TraceBuilder adds single rows (recorded by an engine), RowWriter millions of similar rows (simulator), and
 * traceFromColumns uses existing columns (importers). Each checks rules.ts and sorts the rows, and so does reading a
 * run file.
 *
 * Times are nanoseconds from the start of the row's own iteration. Rows are sorted by iteration, then start.
 */

import { lowerBound } from '../lowerBound.ts';

/** Row kinds. host-* rows are on host-thread lanes, others on stream lanes. */
export const rowKinds = [
  /** A call that issues work: name is the CUDA call, op the operation it issues. */
  'host-call',
  /** Time a host thread was blocked in a synchronising call. */
  'host-sync',
  'host-work',
  'host-read',
  'host-write',
  'host-range',
  'copy',
  'kernel',
  'memset',
  'host-function',
  /** Marks without duration: a stream reached a recorded event, or passed a wait. */
  'event-record',
  'event-wait',
] as const;
export type RowKind = (typeof rowKinds)[number];

export const memoryKinds = [
  'none',
  'pageable',
  'pinned',
  'pinned-write-combined',
  'mapped',
  'registered',
  'device',
  'unknown',
  'managed',
] as const;
export type MemoryKind = (typeof memoryKinds)[number];

/** CUPTI's channel types: the kind of hardware queue that an activity used. */
export const channelTypes = ['unknown', 'compute', 'async-memcpy', 'decompress'] as const;
export type ChannelType = (typeof channelTypes)[number];

export const laneKinds = ['host-thread', 'stream', 'copy-engine', 'compute'] as const;
export type LaneKind = (typeof laneKinds)[number];

export const copyDirections = ['h2d', 'd2h', 'd2d', 'h2h'] as const;
export type CopyDirection = (typeof copyDirections)[number];

export interface Lane {
  readonly kind: LaneKind;
  /** Unique in its trace: 'thread:main', 'stream:copy', 'engine:gpu:h2d', 'compute:gpu'. */
  readonly id: string;
  /** Displayed name: 'main', 'copy', 'H2D engine', 'Compute'. */
  readonly name: string;
  /** Id of the device it belongs to; empty for host threads. */
  readonly device: string;
  /** Only for copy engines. */
  readonly direction?: CopyDirection;
  /** Only for streams: name and ranks of the communicator, if all its collectives use the same known one. */
  readonly communicator?: string;
}

/** Index of a lane in Trace.lanes; -1 for no lane. */
export type LaneIndex = number;
/** Index of a row in every column. */
export type RowIndex = number;

export interface TraceColumns {
  /** Nanoseconds from the start of the row's iteration. */
  readonly startNs: Float64Array;
  /** Nanoseconds, 0 for a mark. */
  readonly durationNs: Float64Array;
  /** The host thread or stream it belongs to. */
  readonly lane: Int32Array;
  /** Copy engine or compute lane that executed it; -1 for host rows and marks. */
  readonly engine: Int32Array;
  /** Index into rowKinds. */
  readonly kind: Uint8Array;
  /** Indices into Trace.names. */
  readonly name: Int32Array;
  /** Number of the operation in the program; -1 if the trace doesn't come from an experiment. */
  readonly op: Int32Array;
  /** Joins a host call with its device activity within an iteration; 0 if unknown. */
  readonly correlation: Int32Array;
  readonly iteration: Int32Array;
  /** Bytes moved or written; for a stream kernel, bytes it worked on. 0 if that has no meaning. */
  readonly bytes: Float64Array;
  /** Indices into memoryKinds. */
  readonly srcMemory: Uint8Array;
  readonly dstMemory: Uint8Array;
  /** CUPTI's channel id, or the simulator's number of a copy engine queue; -1 if unknown. */
  readonly channel: Int32Array;
  /** Index into channelTypes. */
  readonly channelType: Uint8Array;
  /** Host address that a copy reads or writes; 0 if unknown. Only `copyscope record` provides it. */
  readonly hostAddress?: Float64Array;
}

/** A column that every trace has. */
export type CommonColumn = Exclude<keyof TraceColumns, 'hostAddress'>;

/** Returns zeroed columns of `capacity` rows; times, iteration and correlation have `own` rows. */
export function emptyColumns(capacity: number, own: number = capacity): TraceColumns {
  return {
    startNs: new Float64Array(own),
    durationNs: new Float64Array(own),
    lane: new Int32Array(capacity),
    engine: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
    name: new Int32Array(capacity),
    op: new Int32Array(capacity),
    correlation: new Int32Array(own),
    iteration: new Int32Array(own),
    bytes: new Float64Array(capacity),
    srcMemory: new Uint8Array(capacity),
    dstMemory: new Uint8Array(capacity),
    channel: new Int32Array(capacity),
    channelType: new Uint8Array(capacity),
  };
}

/** A stretch in which the program ran but nothing was recorded, such as between two spans of `--steps`. */
export interface Pause {
  readonly fromNs: number;
  readonly toNs: number;
}

/** Limit of pauses that are kept. */
export const mostPauses = 10_000;

export interface Trace {
  readonly count: number;
  readonly columns: TraceColumns;
  readonly lanes: readonly Lane[];
  readonly names: readonly string[];
  /** In order and disjoint. */
  readonly pauses?: readonly Pause[];
}

/** Returns the first pause that begins in this time. */
export function pauseWithin({ pauses = [] }: Trace, fromNs: number, toNs: number): Pause | undefined {
  const pause = pauses[lowerBound(0, pauses.length, (at) => (pauses[at]?.fromNs ?? 0) < fromNs)];
  return pause !== undefined && pause.fromNs < toNs ? pause : undefined;
}

export const isHostMemory = (memory: MemoryKind): boolean =>
  memory !== 'device' && memory !== 'none' && memory !== 'unknown';

/** Returns a copy's direction from its memory kinds; null if either is unknown. */
export function copyDirection(src: MemoryKind, dst: MemoryKind): CopyDirection | null {
  if (src === 'none' || src === 'unknown' || dst === 'none' || dst === 'unknown') return null;
  return `${isHostMemory(src) ? 'h' : 'd'}2${isHostMemory(dst) ? 'h' : 'd'}`;
}
