/** The term that explains a lane, an operation, a kind of memory or the cause of a verdict. */
import type { Cause } from '../analysis/verdicts/verdict.ts';
import type { OperationName } from '../experiment/operations.ts';
import type { Lane, MemoryKind } from '../trace/trace.ts';
import type { TermId } from './terms.ts';

export function termOfLane(lane: Pick<Lane, 'kind' | 'id' | 'direction'>): TermId {
  switch (lane.kind) {
    case 'host-thread':
      return 'host-thread';
    case 'compute':
      return 'compute';
    case 'copy-engine':
      return lane.direction === 'd2h' || lane.direction === 'd2d' || lane.direction === 'h2d'
        ? lane.direction
        : 'copy-engine';
    case 'stream':
      if (lane.id === 'stream:legacy') return 'legacy-default-stream';
      return lane.id.startsWith('stream:per-thread') ? 'per-thread-default-stream' : 'stream';
  }
}

const ofOperation: Readonly<Record<OperationName, TermId>> = {
  work: 'host-thread',
  write: 'host',
  read: 'host',
  pin: 'pin-memory',
  allocate: 'allocator',
  free: 'allocator',
  recordStream: 'record-stream',
  signal: 'signal',
  waitSignal: 'signal',
  copy: 'copy',
  memset: 'memset',
  kernel: 'kernel',
  recordEvent: 'event',
  waitEvent: 'wait-stream',
  hostFunction: 'host-function',
  graphLaunch: 'graph',
  multiCopy: 'multi-tensor-copy',
  synchronizeStream: 'synchronise',
  synchronizeEvent: 'synchronise',
  synchronizeDevice: 'synchronise',
  queryStream: 'synchronise',
  queryEvent: 'event',
  elapsedTime: 'event',
  item: 'item',
  repeat: 'issue',
  range: 'host-thread',
  graphCapture: 'graph',
};

export const termOfOperation = (name: OperationName): TermId => ofOperation[name];

const ofMemory: Readonly<Record<Exclude<MemoryKind, 'none' | 'unknown'>, TermId>> = {
  pageable: 'pageable',
  pinned: 'pinned',
  'pinned-write-combined': 'write-combined',
  mapped: 'mapped',
  registered: 'registered',
  device: 'device-memory',
};

export const termOfMemory = (memory: keyof typeof ofMemory): TermId => ofMemory[memory];

const ofCause: Readonly<Record<Cause, TermId>> = {
  overlapped: 'overlap',
  'pageable-source': 'pageable',
  'pageable-destination': 'pageable',
  'same-stream': 'stream',
  'legacy-default-stream': 'legacy-default-stream',
  'event-dependency': 'event',
  'engine-busy': 'copy-engine',
  'queued-behind': 'stream',
  'issued-too-late': 'issue',
  'too-small': 'launch',
  'nothing-to-overlap': 'overlap',
  'not-a-copy-engine-copy': 'copy-engine',
  unexplained: 'verdict',
};

export const termOfCause = (cause: Cause): TermId => ofCause[cause];
