/** Finds the term that explains a lane, an operation, a kind of memory or the cause of a verdict. */

import type { DeclarationKind } from '../../experiment/edit/declarations.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { descriptorOf, type Operation } from '../../experiment/operations.ts';
import type { Lane, MemoryKind } from '../../trace/trace.ts';
import type { Cause } from '../verdicts/verdict.ts';
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

const ofMemory: Readonly<Record<Exclude<MemoryKind, 'none' | 'unknown'>, TermId>> = {
  pageable: 'pageable',
  pinned: 'pinned',
  'pinned-write-combined': 'write-combined',
  mapped: 'mapped',
  registered: 'registered',
  device: 'device-memory',
  managed: 'managed',
};

/** Returns the terms for an operation's fields. */
export function termsOfOperation(operation: Operation, experiment: Experiment): TermId[] {
  const memories = ['src', 'dst', 'buffer'].flatMap((field) => {
    const id: unknown = Reflect.get(operation, field);
    const buffer = experiment.buffers.find((one) => one.id === id);
    return buffer === undefined ? [] : ofMemory[buffer.memory];
  });
  const streams = 'stream' in operation ? [termOfStream(operation.stream, experiment)] : [];
  const modes: TermId[] = operation.op === 'copy' && operation.mode !== 'async' ? ['blocking-copy'] : [];
  return [descriptorOf(operation.op).term as TermId, ...modes, ...memories, ...streams];
}

/** `name` is a declared stream, or a predefined one. */
function termOfStream(name: string, { streams, environment }: Experiment): TermId {
  const declared = streams.find(({ id }) => id === name);
  if (declared !== undefined) return declared.flags === 'blocking' ? 'blocking-stream' : 'non-blocking-stream';
  const kind = name === 'default' ? environment.defaultStream : name;
  return kind === 'per-thread' ? 'per-thread-default-stream' : 'legacy-default-stream';
}

/** Returns the terms for a declaration's fields. */
export function termsOfDeclaration(kind: DeclarationKind, id: string, experiment: Experiment): TermId[] {
  switch (kind) {
    case 'buffers': {
      const memory = experiment.buffers.find((one) => one.id === id)?.memory;
      return memory === undefined ? [] : [ofMemory[memory]];
    }
    case 'streams':
      return ['stream', termOfStream(id, experiment), 'priority'];
    case 'events':
      return ['event', 'wait-stream'];
    case 'signals':
      return ['signal'];
    case 'threads':
      return ['host-thread'];
    case 'devices':
      return ['device'];
  }
}

/** Terms for the fields of an experiment's environment. */
export const environmentTerms: readonly TermId[] = ['default-stream', 'launch-blocking', 'peer-access'];

const ofCause: Readonly<Record<Cause, TermId>> = {
  race: 'hazard',
  'copied-again': 'copy',
  'through-host': 'd2d',
  overlapped: 'overlap',
  'pageable-source': 'pageable',
  'pageable-destination': 'pageable',
  'same-stream': 'stream',
  'legacy-default-stream': 'legacy-default-stream',
  'event-dependency': 'event',
  'graph-launches': 'graph',
  'peer-copy-alone': 'd2d',
  'engine-busy': 'copy-engine',
  'copy-queues': 'copy-queue',
  'mapped-memory': 'mapped',
  'managed-pages': 'managed',
  'queued-behind': 'stream',
  'issued-too-late': 'issue',
  'too-small': 'launch',
  'allocation-synchronises': 'allocator',
  'waits-for-earlier-work': 'issue',
  'many-small-copies': 'copy',
  'wait-after-each-copy': 'synchronise',
  'allocated-again': 'allocator',
  'captured-again': 'graph',
  'frontend-calls': 'launch',
  'launch-blocking': 'launch-blocking',
  'launch-queue-full': 'launch-queue',
  'multiprocessors-full': 'compute',
  'nothing-to-overlap': 'overlap',
  'not-a-copy-engine-copy': 'copy-engine',
  unexplained: 'verdict',
};

export const termOfCause = (cause: Cause): TermId => ofCause[cause];
