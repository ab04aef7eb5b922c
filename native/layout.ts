/**
 * Names and numbers of what passes between TypeScript and the addon: the one place where they stand. native/src/layout.h
 * is written from it (`node scripts/native-layout.mjs`), and `layout` is compared when the addon is loaded, so that an old
 * build is never misread.
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
] as const;
export type Code = (typeof codes)[number];

/** The numbers in a row of each table, in their order. A field of no use to a row is as the encoder leaves it. */
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
  /** Of one multi-tensor copy. */
  /** What cuBLAS or cuFFT is asked for: of an fft m is the size and n the batch. `other` is the second factor's buffer. */
  libraryCalls: ['dtype', 'm', 'n', 'k', 'tf32', 'firstUse', 'other'],
  /** What one of them must have written: the call by its number, and what its operands held. */
  results: ['call', 'buffer', 'patternKind', 'patternValue', 'patternOffset', 'otherKind', 'otherValue', 'otherOffset'],
  /** Of an allocator's report. */
  blocks: ['segment', 'offset', 'bytes', 'requestedBytes', 'stream', 'state'],
} as const;
export type TableName = keyof typeof fields;
export type TableRow<Table extends TableName> = Readonly<Record<(typeof fields)[Table][number], number>>;

export const allocators: readonly Allocator[] = ['cuda-malloc', 'pool', 'caching'];
export const streamKinds: readonly StreamKind[] = ['legacy-default', 'per-thread-default', 'blocking', 'non-blocking'];
export const patternKinds = ['none', 'random', 'index', 'constant', 'float32', 'float16', 'bfloat16'] as const;
/** What the numbers of a library call are. */
export const libraryTypes = ['float32', 'float16', 'bfloat16', 'complex64'] as const;

/** What a host row is called; empty where it bears its operation's label. */
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
] as const;

/** Allocators whose state the addon reports, and the states of their blocks. */
export const memoryAllocators = ['caching', 'caching-host', 'pool'] as const;
export const blockStates = ['allocated', 'pending-free', 'inactive'] as const;

export const phases: readonly RunPhase[] = ['preparing', 'warming-up', 'timing', 'recording', 'verifying'];
export const engines: readonly Exclude<EngineKind, 'sim'>[] = ['cpu', 'cuda'];

/** Every list of names whose numbers pass between the two sides, by what C++ calls it. */
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

export const layout = ['4', ...[enums, fields].flatMap(Object.entries).map(([name, list]) => `${name} ${list}`)].join(
  ';',
);
