/** Instructions of a host thread; each is one action of an engine. */
import type { Pattern } from '../experiment/resources.ts';

/** Content of a region: pattern words from `patternOffset` bytes on, each multiplied by `multiplier` modulo 2^32. */
export interface Content {
  readonly pattern: Pattern;
  readonly patternOffset: number;
  readonly multiplier: number;
}

/**
 * cuda-malloc: cudaMalloc and cudaFree, which synchronise the device. pool: cudaMallocAsync and cudaFreeAsync. caching:
 * PyTorch's caching allocator, for page-locked host memory its caching host allocator.
 */
export type Allocator = 'cuda-malloc' | 'pool' | 'caching';

/** Regions that a block copy moves, one element a block. */
export interface Blocks {
  readonly sizes: Float64Array;
  readonly srcOffsets: Float64Array;
  readonly dstOffsets: Float64Array;
}

interface At {
  /** Number of its operation. */
  readonly op: number;
}

/** Some bytes of one buffer. */
interface Region extends At {
  readonly buffer: number;
  readonly offset: number;
  readonly bytes: number;
  /** Only before unrolled() writes the rounds one by one. */
  readonly stepBytes?: number;
}

/** Advice of cudaMemAdvise. accessed-by: the device gets mappings of pages wherever they lie. */
export const managedAdvice = ['read-mostly', 'preferred-host', 'preferred-device', 'accessed-by-device'] as const;
export type ManagedAdvice = (typeof managedAdvice)[number];

type HostInstruction =
  | (At & { readonly code: 'work'; readonly durationNs: number })
  | (Region & { readonly code: 'write'; readonly content: Content })
  /** `expected` is null if it is unknown: the bytes are read but not compared. */
  | (Region & { readonly code: 'read'; readonly expected: Content | null })
  /**
   * Tensor.pin_memory(): a destination allocated by operation comes from the caching host allocator. Then the host
   * copies all of `src` into it and continues when that is done.
   */
  | (At & { readonly code: 'pin'; readonly src: number; readonly dst: number; readonly bytes: number })
  /** The host copies blocks between two buffers of the host. */
  | (At & { readonly code: 'packBlocks'; readonly src: number; readonly dst: number; readonly blocks: Blocks })
  /** The buffer exists from here on, with undefined content. If it is never freed, it ends with the iteration. */
  | (At & {
      readonly code: 'allocate';
      readonly buffer: number;
      readonly allocator: Allocator;
      readonly stream: number;
    })
  /** `allocator` is the one that allocated the buffer. */
  | (At & { readonly code: 'free'; readonly buffer: number; readonly allocator: Allocator; readonly stream: number })
  /** Tensor.record_stream(): a caching allocator reuses the block only once work now in `stream` has completed. */
  | (At & { readonly code: 'recordStream'; readonly buffer: number; readonly stream: number })
  | (At & { readonly code: 'advise'; readonly buffer: number; readonly advice: ManagedAdvice })
  /** Adds one to the signal's count; blocks while the count is the signal's capacity. */
  | (At & { readonly code: 'signal'; readonly signal: number })
  /** Takes one from the signal's count; blocks while it is zero. */
  | (At & { readonly code: 'waitSignal'; readonly signal: number });

type StreamInstruction =
  | (At & {
      readonly code: 'copy';
      readonly src: number;
      readonly srcOffset: number;
      readonly dst: number;
      readonly dstOffset: number;
      readonly bytes: number;
      /** Only before unrolled() writes the rounds one by one. */
      readonly srcStepBytes?: number;
      readonly dstStepBytes?: number;
      readonly stream: number;
      /** cudaMemcpy rather than cudaMemcpyAsync: the call returns when the copy has completed. */
      readonly blocking: boolean;
    })
  /** cudaMemsetAsync: writes `value` (0 to 255) into every byte. */
  | (Region & { readonly code: 'memset'; readonly value: number; readonly stream: number })
  /** cudaMemPrefetchAsync: moves pages of managed memory to the device, or to the host. */
  | (Region & { readonly code: 'prefetch'; readonly toDevice: boolean; readonly stream: number })
  | (At & {
      readonly code: 'kernel';
      readonly stream: number;
      readonly kernel: ProgramKernel;
      /**
       * Share of the device's multiprocessors that it fills: below 1, a block on each of ceil(share * multiprocessors);
       * at 1, as many blocks as the device holds at once. A spin with a share of 1 is a single thread, which leaves
       * room for any other kernel.
       */
      readonly smShare: number;
      /** Buffers in the document, for the hazard check; stream, matmul and fft kernels really use them. */
      readonly reads: readonly number[];
      readonly writes: readonly number[];
    })
  /** Plan or work space for the library's first use in a stream; none if this iteration has made it already. */
  | (At & { readonly code: 'makePlan'; readonly kernel: LibraryKernel; readonly stream: number })
  | (At & { readonly code: 'recordEvent'; readonly event: number; readonly stream: number })
  | (At & { readonly code: 'waitEvent'; readonly event: number; readonly stream: number })
  /** cudaLaunchHostFunc: CUDA's own thread is busy for this long. */
  | (At & { readonly code: 'hostFunction'; readonly durationNs: number; readonly stream: number })
  /**
   * loop: a cudaMemcpyAsync each; batch: one cudaMemcpyBatchAsync; pitched: one cudaMemcpy2DAsync; kernel: one kernel, of a
   * share of the multiprocessors.
   */
  | (At & {
      readonly code: 'blockCopy';
      readonly by: 'loop' | 'batch' | 'pitched' | 'kernel';
      readonly src: number;
      readonly dst: number;
      readonly blocks: Blocks;
      readonly smShare: number;
      readonly stream: number;
    })
  /** `plan` is an index into Program.multiCopies. */
  | (At & { readonly code: 'multiCopy'; readonly plan: number; readonly stream: number });

/**
 * Stream instructions between a beginCapture and its endCapture become part of the graph instead of running. Their rows
 * have their own operation's number, and the correlation of the launch that ran them. Host instructions in between run
 * at once.
 */
type GraphInstruction =
  | (At & { readonly code: 'beginCapture'; readonly graph: number; readonly stream: number })
  /** cudaStreamEndCapture, cudaGraphInstantiate and cudaGraphUpload, with a host row each. */
  | (At & { readonly code: 'endCapture'; readonly graph: number; readonly stream: number })
  | (At & { readonly code: 'launchGraph'; readonly graph: number; readonly stream: number });

type SynchronisingInstruction =
  | (At & { readonly code: 'synchronizeStream'; readonly stream: number })
  | (At & { readonly code: 'synchronizeEvent'; readonly event: number })
  | (At & { readonly code: 'synchronizeDevice'; readonly device: number })
  | (At & { readonly code: 'queryStream'; readonly stream: number })
  | (At & { readonly code: 'queryEvent'; readonly event: number })
  /** cudaEventElapsedTime: both events must be complete. */
  | (At & { readonly code: 'elapsedTime'; readonly start: number; readonly end: number })
  /** cudaMemcpyAsync of 4 bytes (or the buffer's smaller size) to a pageable scalar, then cudaStreamSynchronize. */
  | (At & { readonly code: 'item'; readonly buffer: number; readonly stream: number });

type GroupInstruction =
  /** Runs the instructions up to the matching endRepeat (at index `end` of the same thread) `count` times. */
  | (At & { readonly code: 'repeat'; readonly count: number; readonly end: number })
  /** Goes back to the instruction after `start` while repetitions remain. */
  | (At & { readonly code: 'endRepeat'; readonly start: number })
  | (At & { readonly code: 'beginRange'; readonly name: string })
  | (At & { readonly code: 'endRange' });

export type Instruction =
  | HostInstruction
  | StreamInstruction
  | GraphInstruction
  | SynchronisingInstruction
  | GroupInstruction;

export type InstructionCode = Instruction['code'];
export type InstructionOf<Code extends InstructionCode> = Extract<Instruction, { code: Code }>;

export type ProgramKernel =
  | { readonly kind: 'spin'; readonly durationNs: number }
  /**
   * Passes over `bytes` (a multiple of 4) `passes` times: the first writes src * streamMultiplier to dst word by word,
   * each later one multiplies dst in place. Bytes of mapped host memory cross the link.
   */
  | {
      readonly kind: 'stream';
      readonly src: number;
      readonly dst: number;
      readonly bytes: number;
      readonly passes: number;
    }
  /** `flops` single-precision operations; a fused multiply-add counts as two. Reads and writes no buffer. */
  | { readonly kind: 'arithmetic'; readonly flops: number }
  | LibraryKernel;

/** Kernels of cuBLAS and cuFFT. They use buffers from their first byte on. */
export type LibraryKernel = MatmulKernel | FftKernel;

/** dst (m by n) = src (m by k) times other (k by n), row by row. */
export interface MatmulKernel {
  readonly kind: 'matmul';
  readonly src: number;
  readonly other: number;
  readonly dst: number;
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly dtype: 'float32' | 'float16' | 'bfloat16';
  readonly tf32: boolean;
  /** Whether a makePlan instruction makes its work space, rather than preparation before the run. */
  readonly firstUse: boolean;
}

/** `batch` consecutive transforms of `size` complex numbers in single precision, forward and unscaled. */
export interface FftKernel {
  readonly kind: 'fft';
  readonly src: number;
  readonly dst: number;
  readonly size: number;
  readonly batch: number;
  readonly firstUse: boolean;
}

export const isLibraryKernel = (kernel: ProgramKernel): kernel is LibraryKernel =>
  kernel.kind === 'matmul' || kernel.kind === 'fft';

/** Odd, so that multiplying 32-bit words by it loses nothing and the result can be checked exactly. */
export const streamMultiplier = 0x0019660d;

export const bytesOfBlocks = ({ sizes }: Blocks): number => sizes.reduce((sum, bytes) => sum + bytes, 0);
