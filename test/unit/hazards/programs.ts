/** Small random experiments for the oracle: 2 to 8 operations in 1 or 2 host threads, on 1 to 3 streams. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { OperationName } from '../../../core/experiment/operations.ts';
import { experimentOf } from '../support/experiments.ts';
import type { Random } from '../support/random.ts';

/** An operation as in a document: defaults may be left out. */
export type OperationInput = Readonly<Record<string, unknown>> & { readonly op: OperationName };

export function randomExperiment(random: Random): Experiment {
  const streams = random.pick([
    ['default'],
    ['a'],
    ['a', 'b'],
    ['default', 'a'],
    ['default', 'blocking'],
    ['blocking', 'a'],
    ['default', 'blocking', 'a'],
    ['default', 'a', 'b'],
  ]);
  const threads = random.chance(0.35) ? 2 : 1;
  const count = 2 + random.below(threads === 1 ? 7 : 6);
  const lists: OperationInput[][] = Array.from({ length: threads }, () => []);
  for (let made = 0; made < count; made += 1) random.pick(lists).push(randomOperation(random, streams));
  for (const list of lists) if (list.length === 0) list.push({ op: 'work', durationNs: 1 });
  const [first, second] = lists;
  if (first !== undefined && second !== undefined && random.chance(0.6)) addSignals(random, first, second);
  if (threads === 1 && first !== undefined && random.chance(0.2)) addRepeat(random, first);
  return experimentOf(
    {
      environment: {
        defaultStream: random.chance(0.25) ? 'per-thread' : 'legacy',
        launchBlocking: random.chance(0.05),
      },
      buffers: [
        { id: 'pinned', memory: 'pinned', bytes: 8 },
        { id: 'host', memory: random.pick(['pageable', 'pinned']), bytes: 8 },
        { id: 'device', memory: 'device', bytes: 8 },
        { id: 'other', memory: 'device', bytes: 8 },
      ],
      streams: [
        { id: 'a', flags: 'non-blocking' },
        { id: 'b', flags: 'non-blocking' },
        { id: 'blocking', flags: 'blocking' },
      ],
      events: [{ id: 'e' }, { id: 'f' }],
      signals: [{ id: 'go', capacity: random.pick([1, 2, 1000]) }],
    },
    ...lists,
  );
}

function randomOperation(random: Random, streams: readonly string[]): OperationInput {
  const stream = random.pick(streams);
  const event = random.chance(0.8) ? 'e' : 'f';
  const hostBuffer = random.pick(['pinned', 'host']);
  const deviceBuffer = random.chance(0.75) ? 'device' : 'other';
  const part = random.pick([{}, {}, { offset: 0, bytes: 4 }, { offset: 4, bytes: 4 }]);
  switch (random.below(16)) {
    case 0:
    case 1:
    case 2:
      return randomCopy(random, hostBuffer, deviceBuffer, stream);
    case 3:
    case 4:
      return randomCopy(random, deviceBuffer, hostBuffer, stream);
    case 5:
      return random.pick<OperationInput>([
        { op: 'copy', src: 'device', dst: 'other', stream },
        { op: 'copy', src: 'pinned', dst: 'host', stream },
        { op: 'copy', src: 'device', dst: 'other', mode: 'blocking-memcpy' },
      ]);
    case 6:
    case 7:
      return randomKernel(random, stream);
    case 8:
      return random.chance(0.7)
        ? { op: 'memset', buffer: deviceBuffer, stream, ...part }
        : { op: 'item', buffer: deviceBuffer, stream };
    case 9:
      return { op: 'write', buffer: hostBuffer, pattern: { kind: 'constant', value: 1 }, ...part };
    case 10:
      return { op: 'read', buffer: hostBuffer, ...part };
    case 11:
      return { op: 'recordEvent', event, stream };
    case 12:
      return { op: 'waitEvent', event, stream };
    case 13:
      return random.chance(0.5) ? { op: 'synchronizeStream', stream } : { op: 'synchronizeEvent', event };
    case 14:
      return random.pick<OperationInput>([
        { op: 'synchronizeDevice' },
        { op: 'queryStream', stream },
        { op: 'hostFunction', durationNs: 1, stream },
        { op: 'elapsedTime', start: 'e', end: 'e' },
      ]);
    default:
      return random.chance(0.5) ? { op: 'recordEvent', event, stream } : { op: 'synchronizeEvent', event };
  }
}

export function randomCopy(random: Random, src: string, dst: string, stream: string): OperationInput {
  const mode = random.pick(['async', 'async', 'async', 'blocking-to', 'blocking-memcpy'] as const);
  if (random.chance(0.7)) return { op: 'copy', src, dst, stream, mode };
  const [srcOffset, dstOffset] = [random.pick([0, 4]), random.pick([0, 4])];
  return { op: 'copy', src, dst, stream, mode, bytes: 4, srcOffset, dstOffset };
}

function randomKernel(random: Random, stream: string): OperationInput {
  if (random.chance(0.5)) {
    const [reads, writes] = random.pick([
      [['device'], ['other']],
      [['other'], ['device']],
      [['device'], ['device']],
    ]);
    return { op: 'kernel', kernel: { kind: 'stream' }, reads, writes, stream };
  }
  const touched = random.pick([{ reads: ['device'] }, { writes: ['device'] }, { reads: ['pinned'] }, {}]);
  return { op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, stream, ...touched };
}

export function addSignals(random: Random, from: OperationInput[], to: OperationInput[], signal = 'go'): void {
  const times = random.chance(0.2) ? 2 : 1;
  for (let time = 0; time < times; time += 1) {
    from.splice(random.below(from.length + 1), 0, { op: 'signal', signal });
    to.splice(random.below(to.length + 1), 0, { op: 'waitSignal', signal });
  }
}

/** Returns host threads that give and take two signals in any order; half have one thread at each end. */
export function signallingExperiment(random: Random): { readonly experiment: Experiment; readonly oneEach: boolean } {
  const oneEach = random.chance(0.5);
  const lists: OperationInput[][] = Array.from({ length: oneEach ? 2 : 3 }, () => [{ op: 'work', durationNs: 1 }]);
  const [ahead, back] = ['ahead', 'back'] as const;
  for (let made = 2 + random.below(5); made > 0; made -= 1) {
    const thread = random.below(lists.length);
    const op = random.pick(['signal', 'waitSignal'] as const);
    // Thread 0 gives the one and takes the other, thread 1 vice versa.
    const signal = oneEach ? ((op === 'signal') === (thread === 0) ? ahead : back) : random.pick([ahead, back]);
    lists[thread]?.push({ op, signal });
  }
  const signals = [ahead, back].map((id) => ({ id, capacity: random.pick([1, 2]) }));
  return { experiment: experimentOf({ signals }, ...lists), oneEach };
}

export function addRepeat(random: Random, list: OperationInput[]): void {
  const start = random.below(list.length);
  const operations = list.splice(start, 1 + random.below(3));
  list.splice(start, 0, { op: 'repeat', count: operations.length < 3 ? 2 + random.below(2) : 2, operations });
}

/** A race-free experiment, and a version with a race: it lacks something that orders two operations. */
export interface Planted {
  readonly ordered: Experiment;
  readonly planted: Experiment;
}

interface Placed {
  readonly thread: number;
  readonly operation: OperationInput;
  /** Number of the link that it belongs to; -1 for work on data. */
  readonly link: number;
}

/**
 * Returns an experiment in which each operation waits for the one before it: by its stream, an event, a synchronise, or
 * with two host threads also a signal. The planted race lacks one link, or a part of one; null if there is none to
 * remove.
 */
export function plantedExperiment(random: Random): Planted | null {
  const steps = 2 + random.below(3);
  const placed: Placed[] = [];
  let before = randomStep(random, 0);
  placed.push({ thread: 0, operation: before.operation, link: -1 });
  for (let step = 1; step < steps; step += 1) {
    const thread = random.chance(0.25) ? 1 - before.thread : before.thread;
    const next = randomStep(random, thread);
    placed.push(...link(random, before, next).map((one) => ({ ...one, link: step })));
    placed.push({ thread, operation: next.operation, link: -1 });
    before = next;
  }
  const links = [...new Set(placed.map((one) => one.link))].filter((number) => number > 0);
  if (links.length === 0) return null;
  const removed = random.pick(links);
  const gone = random.chance(0.5) ? null : random.pick(placed.filter((one) => one.link === removed));
  const isKept = (one: Placed): boolean => (gone === null || isSignal(gone) ? one.link !== removed : one !== gone);
  return { ordered: assemble(placed), planted: assemble(placed.filter(isKept)) };
}

const isSignal = ({ operation }: Placed): boolean => operation.op === 'signal' || operation.op === 'waitSignal';

interface RandomStep {
  readonly thread: number;
  /** Null for work of the host. */
  readonly stream: string | null;
  readonly operation: OperationInput;
}

function randomStep(random: Random, thread: number): RandomStep {
  const stream = random.pick(['a', 'b', 'default', 'blocking']);
  const onHost: OperationInput[] = [
    { op: 'write', buffer: 'pinned', pattern: { kind: 'constant', value: 1 } },
    { op: 'write', buffer: 'host', pattern: { kind: 'constant', value: 1 } },
    { op: 'read', buffer: 'pinned' },
    { op: 'read', buffer: 'host' },
  ];
  const inStream: OperationInput[] = [
    { op: 'copy', src: 'pinned', dst: 'device', stream },
    { op: 'copy', src: 'host', dst: 'device', stream },
    { op: 'copy', src: 'device', dst: 'pinned', stream },
    { op: 'copy', src: 'device', dst: 'host', stream },
    { op: 'kernel', kernel: { kind: 'stream' }, reads: ['device'], writes: ['device'], stream },
    { op: 'memset', buffer: 'device', stream },
  ];
  return random.chance(0.3)
    ? { thread, stream: null, operation: random.pick(onHost) }
    : { thread, stream, operation: random.pick(inStream) };
}

function link(random: Random, before: RandomStep, next: RandomStep): Omit<Placed, 'link'>[] {
  const at = (thread: number, operation: OperationInput): Omit<Placed, 'link'> => ({ thread, operation });
  // One signal for each direction: a thread must not take its own.
  const signal = before.thread === 0 ? 'go' : 'back';
  const handOver =
    before.thread === next.thread
      ? []
      : [at(before.thread, { op: 'signal', signal }), at(next.thread, { op: 'waitSignal', signal })];
  if (before.stream === null) return handOver;
  // A pageable source is read during the call, whatever its stream still runs.
  const isStaged = next.operation.op === 'copy' && next.operation['src'] === 'host';
  if (next.stream === null || isStaged || random.chance(0.2)) {
    const stream = before.stream;
    const event = at(before.thread, { op: 'recordEvent', event: 'e', stream });
    const waits: Omit<Placed, 'link'>[][] = [
      [at(before.thread, { op: 'synchronizeStream', stream })],
      [at(before.thread, { op: 'synchronizeDevice' })],
      [event, at(before.thread, { op: 'synchronizeEvent', event: 'e' })],
    ];
    return [...random.pick(waits), ...handOver];
  }
  if (before.stream === next.stream) return handOver;
  return [
    at(before.thread, { op: 'recordEvent', event: 'e', stream: before.stream }),
    ...handOver,
    at(next.thread, { op: 'waitEvent', event: 'e', stream: next.stream }),
  ];
}

function assemble(placed: readonly Placed[]): Experiment {
  const lists = [0, 1].map((thread) => placed.filter((one) => one.thread === thread).map((one) => one.operation));
  return experimentOf(
    {
      buffers: [
        { id: 'pinned', memory: 'pinned', bytes: 8 },
        { id: 'host', memory: 'pageable', bytes: 8 },
        { id: 'device', memory: 'device', bytes: 8 },
      ],
      streams: [
        { id: 'a', flags: 'non-blocking' },
        { id: 'b', flags: 'non-blocking' },
        { id: 'blocking', flags: 'blocking' },
      ],
      events: [{ id: 'e' }],
      signals: [{ id: 'go' }, { id: 'back' }],
    },
    ...lists.filter((list) => list.length > 0),
  );
}

/** Returns an experiment with memory that is allocated, used in up to two streams, and freed, perhaps twice. */
export function allocatingExperiment(random: Random): Experiment {
  const streams = random.pick([['a', 'b'], ['a', 'default'], ['default', 'blocking'], ['a']]);
  const allocator = random.pick(['caching', 'caching', 'pool', 'cuda-malloc']);
  const operations: OperationInput[] = [];
  for (let time = random.chance(0.25) ? 2 : 1; time > 0; time -= 1) {
    operations.push({ op: 'allocate', buffer: 'block', allocator, stream: random.pick(streams) });
    const count = 1 + random.below(time === 1 ? 5 : 3);
    for (let made = 0; made < count; made += 1) operations.push(randomUse(random, streams));
    if (time > 1 || random.chance(0.9)) operations.push({ op: 'free', buffer: 'block', stream: random.pick(streams) });
  }
  return experimentOf(
    {
      buffers: [
        { id: 'pinned', memory: 'pinned', bytes: 8 },
        { id: 'block', memory: 'device', bytes: 8, allocated: 'by-operation' },
      ],
      streams: [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' }],
      events: [{ id: 'e' }],
    },
    operations,
  );
}

function randomUse(random: Random, streams: readonly string[]): OperationInput {
  const stream = random.pick(streams);
  return random.pick<OperationInput>([
    { op: 'memset', buffer: 'block', stream },
    { op: 'copy', src: 'pinned', dst: 'block', stream },
    { op: 'copy', src: 'block', dst: 'pinned', stream },
    { op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, reads: ['block'], stream },
    { op: 'recordStream', buffer: 'block', stream },
    { op: 'recordStream', buffer: 'block', stream },
    { op: 'recordEvent', event: 'e', stream },
    { op: 'recordEvent', event: 'e', stream },
    { op: 'waitEvent', event: 'e', stream },
    { op: 'waitEvent', event: 'e', stream },
    { op: 'synchronizeStream', stream },
  ]);
}
