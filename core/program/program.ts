/**
 * The flat program that an engine executes: ids are indices, default streams are resolved, every operation has its
 * number. An operation's number (`op`) is its place in document order: the index by which a trace's rows name it. Repeats
 * stay loops.
 */
import type { OperationName, OperationOf } from '../experiment/operations.ts';
import type { BufferMemory, Pattern } from '../experiment/resources.ts';
import type { Content, Instruction, LibraryKernel } from './instructions.ts';

export * from './instructions.ts';

export type StreamKind = 'legacy-default' | 'per-thread-default' | 'blocking' | 'non-blocking';

export interface ProgramDevice {
  readonly id: string;
  /** Position among the devices that the program sees (CUDA_VISIBLE_DEVICES), as in cuda:0. */
  readonly index: number;
}

export interface ProgramBuffer {
  readonly id: string;
  readonly memory: BufferMemory;
  /** Index into devices; -1 for host memory. */
  readonly device: number;
  readonly bytes: number;
  readonly pattern: Pattern;
  /**
   * Something in the program writes it, so an engine restores the pattern before each iteration. Device and host
   * buffers that are only written are thereby poisoned: a copy that never happened can't look verified.
   */
  readonly written: boolean;
  /** by-operation: an allocate or pin instruction makes it, and its pattern has no meaning. */
  readonly allocated: 'before-run' | 'by-operation';
}

export interface ProgramStream {
  readonly id: string;
  readonly kind: StreamKind;
  readonly device: number;
  readonly priority: number;
  /** Host thread whose per-thread default stream this is; -1 otherwise. */
  readonly thread: number;
}

export interface ProgramEvent {
  readonly id: string;
  readonly timing: boolean;
}

/** A counting signal between host threads. */
export interface ProgramSignal {
  readonly id: string;
  readonly capacity: number;
}

export interface ProgramGraph {
  readonly id: string;
}

type MultiCopyOperation = OperationOf<'multiCopy'>;

/**
 * Many tensors copied by one strategy. The engine makes the tensors itself (random patterns, seed 1000 + number of the
 * tensor) and verifies them all at the end, under the buffer name "multiCopy <op>".
 */
export interface MultiCopyPlan {
  readonly direction: MultiCopyOperation['direction'];
  /** Bytes of each tensor. */
  readonly sizes: Float64Array;
  /** Kind of the host memory of the tensors. */
  readonly memory: MultiCopyOperation['payload']['memory'];
  readonly strategy: MultiCopyOperation['strategy'];
  /** Options under the names that the strategy documents. */
  readonly options: Readonly<Record<string, number | boolean>>;
}

export interface ProgramThread {
  readonly id: string;
  readonly device: number;
  readonly instructions: readonly Instruction[];
}

/** What a number stands for: where the operation is in the document, and how to name it. */
export interface OperationInfo {
  readonly op: number;
  /** The operation's id in the document. */
  readonly id: string;
  readonly kind: OperationName;
  readonly label: string;
  readonly thread: number;
  /** Path in the document, as ['threads', 0, 'operations', 2]. */
  readonly path: readonly (string | number)[];
  /** What it took in the trace that the program was lifted from; it answers before a profile does. */
  readonly recorded?: RecordedCost | undefined;
}

export interface RecordedCost {
  readonly callNs?: number | undefined;
  readonly deviceNs?: number | undefined;
}

/** What a region must hold when the program has finished, whatever the order of unordered operations. */
export interface Expectation {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  readonly content: Content;
}

/** What a library kernel must have written when the program has finished: worked out again on the host, from its operands. */
export interface KernelResult {
  readonly op: number;
  readonly kernel: LibraryKernel;
  /** What it read: of a matrix product both factors. */
  readonly operands: readonly Content[];
}

export interface Program {
  readonly name: string;
  readonly devices: readonly ProgramDevice[];
  readonly buffers: readonly ProgramBuffer[];
  readonly streams: readonly ProgramStream[];
  readonly events: readonly ProgramEvent[];
  readonly signals: readonly ProgramSignal[];
  /** The graphs that operations name, in order of first mention. */
  readonly graphs: readonly ProgramGraph[];
  readonly multiCopies: readonly MultiCopyPlan[];
  readonly threads: readonly ProgramThread[];
  readonly operations: readonly OperationInfo[];
  readonly expectations: readonly Expectation[];
  readonly results: readonly KernelResult[];
  /** Regions that something writes and whose final content can't be derived from the document, with the reason. */
  readonly unverifiable: readonly { readonly buffer: number; readonly reason: string }[];
  /** CUDA_LAUNCH_BLOCKING=1. */
  readonly launchBlocking: boolean;
  readonly peerAccess: boolean;
  /** CUDA_VISIBLE_DEVICES; null for all. */
  readonly visibleDevices: readonly number[] | null;
  readonly iterations: number;
  readonly warmups: number;
}
