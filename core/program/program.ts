/**
 * The flat program that an engine executes: ids are indices, default streams are resolved, and repeats stay loops. An
 * operation's number (`op`) is its position in document order, by which a trace's rows name it.
 */
import type { OperationName, OperationOf } from '../experiment/operations.ts';
import type { BufferMemory, Pattern } from '../experiment/resources.ts';
import type { Content, Instruction, LibraryKernel } from './instructions.ts';

export * from './instructions.ts';

export type StreamKind = 'legacy-default' | 'per-thread-default' | 'blocking' | 'non-blocking';

export interface ProgramDevice {
  readonly id: string;
  /** Index among the devices that the program sees (CUDA_VISIBLE_DEVICES), as in cuda:0. */
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
   * Whether the program writes it, so that an engine restores the pattern before each iteration. Buffers that are only
   * written are thereby poisoned: a copy that never happened can't look verified.
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
  /** Host thread if this is its per-thread default stream; otherwise -1. */
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
  /** Kind of the tensors' host memory. */
  readonly memory: MultiCopyOperation['payload']['memory'];
  readonly strategy: MultiCopyOperation['strategy'];
  /** Options, with the names that the strategy documents. */
  readonly options: Readonly<Record<string, number | boolean>>;
}

export interface ProgramThread {
  readonly id: string;
  readonly device: number;
  readonly instructions: readonly Instruction[];
}

/** Describes the operation of a number: its place in the document and its name. */
export interface OperationInfo {
  readonly op: number;
  /** The operation's id in the document. */
  readonly id: string;
  readonly kind: OperationName;
  readonly label: string;
  readonly thread: number;
  /** Path in the document, for example ['threads', 0, 'operations', 2]. */
  readonly path: readonly (string | number)[];
  /** Times in the trace that the program was lifted from, which override the profile's. */
  readonly recorded?: RecordedCost | undefined;
}

export interface RecordedCost {
  readonly callNs?: number | undefined;
  readonly deviceNs?: number | undefined;
}

/** Content that a region must have when the program has finished, whatever the order of unordered operations. */
export interface Expectation {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  readonly content: Content;
}

/** Result that a library kernel must have written in the end, recomputed on the host from its operands. */
export interface KernelResult {
  readonly op: number;
  readonly kernel: LibraryKernel;
  /** Content of its operands: both factors of a matrix product. */
  readonly operands: readonly Content[];
}

export interface Program {
  readonly name: string;
  readonly devices: readonly ProgramDevice[];
  readonly buffers: readonly ProgramBuffer[];
  readonly streams: readonly ProgramStream[];
  readonly events: readonly ProgramEvent[];
  readonly signals: readonly ProgramSignal[];
  /** Graphs that operations name, in order of first mention. */
  readonly graphs: readonly ProgramGraph[];
  readonly multiCopies: readonly MultiCopyPlan[];
  readonly threads: readonly ProgramThread[];
  readonly operations: readonly OperationInfo[];
  readonly expectations: readonly Expectation[];
  readonly results: readonly KernelResult[];
  /** Written regions whose final content can't be derived from the document, with the reason. */
  readonly unverifiable: readonly { readonly buffer: number; readonly reason: string }[];
  /** pytorch: calls take PyTorch's own time as well (frontend.ts). */
  readonly frontend: 'cuda' | 'pytorch';
  /** CUDA_LAUNCH_BLOCKING=1. */
  readonly launchBlocking: boolean;
  readonly peerAccess: boolean;
  readonly poolReleaseThreshold: number;
  /** CUDA_VISIBLE_DEVICES; null for all. */
  readonly visibleDevices: readonly number[] | null;
  readonly iterations: number;
  readonly warmups: number;
}

/** Returns a remedy for threads of which one waits for a signal. */
export function signalRemedy({ threads, signals }: Program, held: readonly number[]): string | null {
  for (const { instructions } of threads) {
    for (const one of instructions) {
      if ((one.code !== 'signal' && one.code !== 'waitSignal') || !held.includes(one.op)) continue;
      const name = `"${signals[one.signal]?.id}"`;
      return one.code === 'signal'
        ? `Let another thread wait for ${name} as often as it is signalled, or give it more capacity.`
        : `Let another thread signal ${name} as often as it is waited for, before it waits for this one itself.`;
    }
  }
  return null;
}
