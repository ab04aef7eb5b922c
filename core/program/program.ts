/**
 * The flat program that an engine executes: ids are indices, default streams are resolved, every operation has its
 * number. An operation's number (`op`) is its place in document order, and joins the operation in the editor, its
 * host call, its device activity and its verdict. Repeats stay loops.
 */
import type { OperationName } from '../experiment/operations.ts';
import type { BufferMemory, Pattern } from '../experiment/resources.ts';

export type StreamKind = 'legacy-default' | 'per-thread-default' | 'blocking' | 'non-blocking';

export interface ProgramDevice {
  readonly id: string;
  /** Position among the devices visible to the engine. */
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

/** Content of a region: pattern words from `patternOffset` bytes on, each multiplied by `multiplier` modulo 2^32. */
export interface Content {
  readonly pattern: Pattern;
  readonly patternOffset: number;
  readonly multiplier: number;
}

interface At {
  readonly op: number;
}

export type Instruction =
  | (At & { readonly code: 'work'; readonly durationNs: number })
  | (At & {
      readonly code: 'write';
      readonly buffer: number;
      readonly offset: number;
      readonly bytes: number;
      readonly content: Content;
    })
  | (At & {
      readonly code: 'read';
      readonly buffer: number;
      readonly offset: number;
      readonly bytes: number;
      /** Null where it can't be known: the bytes are read, and not compared. */
      readonly expected: Content | null;
    })
  | (At & {
      readonly code: 'copy';
      readonly src: number;
      readonly srcOffset: number;
      readonly dst: number;
      readonly dstOffset: number;
      readonly bytes: number;
      readonly stream: number;
      /** cudaMemcpy rather than cudaMemcpyAsync: the call returns when the copy has completed. */
      readonly blocking: boolean;
    })
  | (At & {
      readonly code: 'kernel';
      readonly stream: number;
      readonly kernel: ProgramKernel;
      readonly smShare: number;
    })
  | (At & { readonly code: 'recordEvent'; readonly event: number; readonly stream: number })
  | (At & { readonly code: 'waitEvent'; readonly event: number; readonly stream: number })
  | (At & { readonly code: 'synchronizeStream'; readonly stream: number })
  | (At & { readonly code: 'synchronizeEvent'; readonly event: number })
  | (At & { readonly code: 'synchronizeDevice'; readonly device: number })
  | (At & { readonly code: 'queryStream'; readonly stream: number })
  | (At & { readonly code: 'queryEvent'; readonly event: number })
  /** Runs the instructions up to the matching endRepeat (at index `end` of the same thread) `count` times. */
  | (At & { readonly code: 'repeat'; readonly count: number; readonly end: number })
  /** Goes back to the instruction after `start` while repetitions remain. */
  | (At & { readonly code: 'endRepeat'; readonly start: number })
  | (At & { readonly code: 'beginRange'; readonly name: string })
  | (At & { readonly code: 'endRange' });

export type InstructionCode = Instruction['code'];
export type InstructionOf<Code extends InstructionCode> = Extract<Instruction, { code: Code }>;

export type ProgramKernel =
  | { readonly kind: 'spin'; readonly durationNs: number }
  /**
   * `passes` times over `bytes` (a multiple of 4): the first pass writes src * streamMultiplier to dst word by word,
   * each later one multiplies dst in place.
   */
  | {
      readonly kind: 'stream';
      readonly src: number;
      readonly dst: number;
      readonly bytes: number;
      readonly passes: number;
    };

/** Odd, so that multiplying 32-bit words by it loses nothing and the result can be checked exactly. */
export const streamMultiplier = 0x0019660d;

export interface ProgramThread {
  readonly id: string;
  readonly device: number;
  readonly instructions: readonly Instruction[];
}

/** What a number stands for: where the operation is in the document, and how to name it. */
export interface OperationInfo {
  readonly op: number;
  readonly kind: OperationName;
  readonly label: string;
  readonly thread: number;
  /** Path in the document, as ['threads', 0, 'operations', 2]. */
  readonly path: readonly (string | number)[];
}

/** What a region must hold when the program has finished, whatever the order of unordered operations. */
export interface Expectation {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  readonly content: Content;
}

export interface Program {
  readonly name: string;
  readonly devices: readonly ProgramDevice[];
  readonly buffers: readonly ProgramBuffer[];
  readonly streams: readonly ProgramStream[];
  readonly events: readonly ProgramEvent[];
  readonly threads: readonly ProgramThread[];
  readonly operations: readonly OperationInfo[];
  readonly expectations: readonly Expectation[];
  /** Regions that something writes and whose final content can't be derived from the document, with the reason. */
  readonly unverifiable: readonly { readonly buffer: number; readonly reason: string }[];
  readonly iterations: number;
  readonly warmups: number;
}
