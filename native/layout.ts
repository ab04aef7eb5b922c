/**
 * Names and numbers of the tables that pass between TypeScript and the addon. native/src/program.h, rows.h and
 * tables.h hold the same; `layout` is compared when the addon is loaded, so that an old build is never misread.
 */
import type { RunPhase } from '../core/program/engine.ts';
import type { EngineKind } from '../core/program/engineKind.ts';
import type { StreamKind } from '../core/program/program.ts';
import type { ChannelType, MemoryKind, RowKind } from '../core/trace/trace.ts';

/** Instruction codes in the addon's order. A kernel is one of two: spin or stream. */
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
] as const;
export type Code = (typeof codes)[number];

/** Numbers in a row of each table. */
export const columns = { buffers: 5, streams: 2, instructions: 16, expectations: 7 } as const;

export const layout = [
  '1',
  codes.join(','),
  ...Object.entries(columns).map(([table, count]) => `${table} ${count}`),
].join(';');

export const memories: readonly MemoryKind[] = ['none', 'pageable', 'pinned', 'device', 'unknown'];
export const streamKinds: readonly StreamKind[] = ['legacy-default', 'per-thread-default', 'blocking', 'non-blocking'];
export const patternKinds = ['none', 'random', 'index', 'constant'] as const;

export const rowKinds: readonly RowKind[] = [
  'host-call',
  'host-sync',
  'host-work',
  'host-read',
  'host-write',
  'host-range',
  'copy',
  'kernel',
  'event-record',
  'event-wait',
];

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
] as const;

export const channels: readonly ChannelType[] = ['unknown', 'compute', 'async-memcpy', 'decompress'];
export const phases: readonly RunPhase[] = ['preparing', 'warming-up', 'timing', 'recording', 'verifying'];
export const engines: readonly Exclude<EngineKind, 'sim'>[] = ['cpu', 'cuda'];
