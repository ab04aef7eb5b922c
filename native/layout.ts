/**
 * Names and numbers that TypeScript and the addon exchange, defined only here. native/src/executor/layout.h is generated from it
 * (`node scripts/native-layout.mjs`), and `layout` is compared when the addon is loaded, so that an old build is never
 * misread.
 */
import { copyStrategies } from '../core/experiment/operations.ts';
import type { RunPhase } from '../core/program/engine.ts';
import type { EngineKind } from '../core/program/engineKind.ts';
import type { Allocator } from '../core/program/instructions.ts';
import type { StreamKind } from '../core/program/program.ts';
import { channelTypes, copyDirections, memoryKinds, rowKinds } from '../core/trace/trace.ts';

/** Instruction codes in the addon's order. A kernel is one of five: spin, stream, arithmetic, matmul or fft. */
export const codes = [
  'work',
  'write',
  'read',
  'copy',
  'spin',
  'stream',
  'recordEvent',
  'waitEvent',
  'synchronizeStream',
  'synchronizeEvent',
  'synchronizeDevice',
  'queryStream',
  'queryEvent',
  'repeat',
  'endRepeat',
  'beginRange',
  'endRange',
  'arithmetic',
  'memset',
  'hostFunction',
  'pin',
  'allocate',
  'free',
  'recordStream',
  'signal',
  'waitSignal',
  'beginCapture',
  'endCapture',
  'launchGraph',
  'elapsedTime',
  'item',
  'multiCopy',
  'matmul',
  'fft',
  'makePlan',
  'blockCopy',
  'packBlocks',
  'prefetch',
  'advise',
] as const;
export type Code = (typeof codes)[number];

/** Numbers in a row of each table, in order. Unused fields of a row have the encoder's defaults. */
export const fields = {
  buffers: ['memory', 'bytes', 'patternKind', 'patternValue', 'written', 'device', 'byOperation'],
  streams: ['kind', 'thread', 'device', 'priority'],
  instructions: [
    'code',
    'op',
    'stream',
    'event',
    'src',
    'srcOffset',
    'dst',
    'dstOffset',
    'bytes',
    'amount',
    'jump',
    'patternKind',
    'patternValue',
    'patternOffset',
    'multiplier',
    'blocking',
    'index',
    'share',
  ],
  expectations: ['buffer', 'offset', 'bytes', 'patternKind', 'patternValue', 'patternOffset', 'multiplier'],
  multiCopies: [
    'direction',
    'pinned',
    'strategy',
    'usePinnedStaging',
    'packCpuTensors',
    'useBackgroundThread',
    'minPackedAlignmentBytes',
    'maxPackedChunkBytes',
    'threads',
    'slotsPerThread',
    'slotBytes',
    'chunkBytes',
  ],
  /** Fields of one multi-tensor copy. */
  /** Fields of a cuBLAS or cuFFT call: for an fft, m is the size, n the batch. `other` is the second factor. */
  libraryCalls: ['dtype', 'm', 'n', 'k', 'tf32', 'firstUse', 'other'],
  /** Expected result of such a call: its number, and the content of its operands. */
  results: ['call', 'buffer', 'patternKind', 'patternValue', 'patternOffset', 'otherKind', 'otherValue', 'otherOffset'],
  /** Blocks of an allocator's report. */
  blocks: ['segment', 'offset', 'bytes', 'requestedBytes', 'stream', 'state'],
} as const;
export type TableName = keyof typeof fields;
export type TableRow<Table extends TableName> = Readonly<Record<(typeof fields)[Table][number], number>>;

export const allocators: readonly Allocator[] = ['cuda-malloc', 'pool', 'caching'];
export const streamKinds: readonly StreamKind[] = ['legacy-default', 'per-thread-default', 'blocking', 'non-blocking'];
export const patternKinds = ['none', 'random', 'index', 'constant', 'float32', 'float16', 'bfloat16'] as const;
/** Element types of a library call. */
export const libraryTypes = ['float32', 'float16', 'bfloat16', 'complex64'] as const;

/** Names of host rows; empty if a row has its operation's label. */
export const calls = [
  '',
  'cudaMemcpyAsync',
  'cudaMemcpy',
  'cudaLaunchKernel',
  'cudaEventRecord',
  'cudaStreamWaitEvent',
  'cudaStreamSynchronize',
  'cudaEventSynchronize',
  'cudaDeviceSynchronize',
  'cudaStreamQuery',
  'cudaEventQuery',
  'cudaMemsetAsync',
  'cudaLaunchHostFunc',
  'cudaStreamBeginCapture',
  'cudaStreamEndCapture',
  'cudaGraphInstantiate',
  'cudaGraphUpload',
  'cudaGraphLaunch',
  'cudaEventElapsedTime',
  'cudaMalloc',
  'cudaFree',
  'cudaMallocAsync',
  'cudaFreeAsync',
  'cudaHostAlloc',
  'cudaFreeHost',
  'cudaMemcpyPeerAsync',
  'cublasGemmEx',
  'cublasCreate',
  'cufftExecC2C',
  'cufftMakePlanMany',
  'cudaMemcpyBatchAsync',
  'cudaMemcpy2DAsync',
  'cudaMallocManaged',
  'cudaMemPrefetchAsync',
  'cudaMemAdvise',
] as const;

/** Allocators whose state the addon reports, and the states of their blocks. */
export const memoryAllocators = ['caching', 'caching-host', 'pool'] as const;
export const blockStates = ['allocated', 'pending-free', 'inactive'] as const;

export const phases: readonly RunPhase[] = ['preparing', 'warming-up', 'timing', 'recording', 'verifying'];
export const engines: readonly Exclude<EngineKind, 'sim'>[] = ['cpu', 'cuda'];

/** All lists of names whose numbers the two sides exchange, by their C++ name. */
export const enums: Readonly<Record<string, readonly string[]>> = {
  Code: codes,
  Memory: memoryKinds,
  Allocator: allocators,
  StreamKind: streamKinds,
  PatternKind: patternKinds,
  LibraryType: libraryTypes,
  RowKind: rowKinds,
  CallName: calls,
  ChannelType: channelTypes,
  AllocatorKind: memoryAllocators,
  BlockState: blockStates,
  Phase: phases,
  EngineKind: engines,
  Direction: copyDirections,
  Strategy: copyStrategies,
};

export const layout = ['6', ...[enums, fields].flatMap(Object.entries).map(([name, list]) => `${name} ${list}`)].join(
  ';',
);
