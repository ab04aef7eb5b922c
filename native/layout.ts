/**
 * Names and numbers of the tables that pass between TypeScript and the addon. native/src/program.h, rows.h and
 * tables.h hold the same; `layout` is compared when the addon is loaded, so that an old build is never misread.
 */
import type { RunPhase } from '../core/program/engine.ts';
import type { EngineKind } from '../core/program/engineKind.ts';
import type { Allocator } from '../core/program/instructions.ts';
import type { StreamKind } from '../core/program/program.ts';
import { type ChannelType, memoryKinds, type RowKind, rowKinds as traceRowKinds } from '../core/trace/trace.ts';

/** Instruction codes in the addon's order. A kernel is one of three: spin, stream or arithmetic. */
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
] as const;
export type Code = (typeof codes)[number];

/** Numbers in a row of each table. */
export const columns = { buffers: 7, streams: 4, instructions: 18, expectations: 7, multiCopies: 13 } as const;

export const layout = [
  '2',
  codes.join(','),
  ...Object.entries(columns).map(([table, count]) => `${table} ${count}`),
].join(';');

/** In the trace's own order. */
export const memories = memoryKinds;
export const allocators: readonly Allocator[] = ['cuda-malloc', 'pool', 'caching'];
export const streamKinds: readonly StreamKind[] = ['legacy-default', 'per-thread-default', 'blocking', 'non-blocking'];
export const patternKinds = ['none', 'random', 'index', 'constant'] as const;

export const rowKinds: readonly RowKind[] = traceRowKinds;

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
] as const;

/** Allocators whose state the addon reports, and the states of their blocks. */
export const memoryAllocators = ['caching', 'caching-host', 'pool'] as const;
export const blockStates = ['allocated', 'pending-free', 'inactive'] as const;

export const channels: readonly ChannelType[] = ['unknown', 'compute', 'async-memcpy', 'decompress'];
export const phases: readonly RunPhase[] = ['preparing', 'warming-up', 'timing', 'recording', 'verifying'];
export const engines: readonly Exclude<EngineKind, 'sim'>[] = ['cpu', 'cuda'];
