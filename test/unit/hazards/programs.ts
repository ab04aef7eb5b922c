/** Small random experiments for the oracle: 2 to 8 operations in 1 to 3 host threads, on 1 to 3 streams. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { OperationName } from '../../../core/experiment/operations.ts';
import { experimentOf } from '../support/experiments.ts';
import type { Random } from '../support/random.ts';

/** An operation as in a document: defaults may be left out. */
type OperationInput = Readonly<Record<string, unknown>> & { readonly op: OperationName };

function randomCopy(random: Random, src: string, dst: string, stream: string): OperationInput {
  const mode = random.pick(['async', 'async', 'async', 'blocking-to', 'blocking-memcpy'] as const);
  if (random.chance(0.7)) return { op: 'copy', src, dst, stream, mode };
  const [srcOffset, dstOffset] = [random.pick([0, 4]), random.pick([0, 4])];
  return { op: 'copy', src, dst, stream, mode, bytes: 4, srcOffset, dstOffset };
}

function addSignals(random: Random, from: OperationInput[], to: OperationInput[], signal = 'go'): void {
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

function addRepeat(random: Random, list: OperationInput[]): void {
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

const farStreams = ['c', 'blockingFar'];

/**
 * Returns an experiment with two devices, graphs, mapped memory, allocated page-locked and pageable memory,
 * multi-tensor copies, default streams by name, loops in loops, a third host thread. Some are refused by lowering.
 */
export function widerExperiment(random: Random): Experiment {
  const near = random.pick([
    ['default', 'blocking', 'a'],
    ['legacy', 'per-thread', 'a'],
    ['a', 'b'],
    ['default', 'blocking'],
  ]);
  const isFar = random.chance(0.4);
  const streams = isFar ? [...near.slice(0, 2), random.pick(farStreams)] : near;
  const threads = random.pick([1, 1, 1, 2, 2, 3]);
  const count = 2 + random.below(threads === 1 ? 5 : 4);
  const lists: OperationInput[][] = Array.from({ length: threads }, () => []);
  for (let made = 0; made < count; made += 1) random.pick(lists).push(widerOperation(random, streams, isFar));
  const [first, ...others] = lists;
  if (first === undefined) throw new RangeError('there is always one thread');
  if (random.chance(0.4)) merge(random, first, lifeOf(random, streams));
  if (random.chance(threads === 1 ? 0.5 : 0.25)) merge(random, first, graphOf(random, streams, isFar, threads > 1));
  if (threads === 1 && random.chance(0.15)) addRepeat(random, first);
  if (threads === 1 && random.chance(0.05)) addRepeat(random, first);
  for (const [index, other] of others.entries()) {
    const [from, to] = random.pick([[first, other] as const, [other, first] as const]);
    if (random.chance(0.7)) addSignals(random, from, to, `go${index}`);
  }
  for (const list of lists) if (list.length === 0) list.push({ op: 'work', durationNs: 1 });
  const device = 'far';
  const drawn = experimentOf(
    {
      environment: {
        defaultStream: random.chance(0.25) ? 'per-thread' : 'legacy',
        launchBlocking: random.chance(0.05),
        peerAccess: true,
      },
      devices: [
        { id: 'near', index: 0 },
        { id: device, index: 1 },
      ],
      buffers: [
        { id: 'pinned', memory: random.pick(['pinned', 'registered', 'pinned-write-combined'] as const), bytes: 8 },
        { id: 'mapped', memory: 'mapped', bytes: 8 },
        { id: 'copied', memory: 'pinned', bytes: 8 },
        { id: 'host', memory: 'pageable', bytes: 8 },
        { id: 'device', memory: 'device', bytes: 8 },
        { id: 'other', memory: 'device', bytes: 8, device: isFar ? device : 'near' },
        { id: 'block', memory: 'device', bytes: 8, allocated: 'by-operation' },
        { id: 'tensor', memory: 'pinned', bytes: 8, allocated: 'by-operation' },
        { id: 'page', memory: 'pageable', bytes: 8, allocated: 'by-operation' },
      ],
      streams: [
        { id: 'a' },
        { id: 'b' },
        { id: 'blocking', flags: 'blocking' },
        { id: 'c', device },
        { id: 'blockingFar', flags: 'blocking', device },
      ],
      events: ['e', 'f', 'farE', 'forked', 'joined'].map((id) => ({ id })),
      signals: ['go0', 'go1'].map((id) => ({ id, capacity: random.pick([1, 2, 1000]) })),
    },
    ...lists,
  );
  // Threads other than the first may be on the other device.
  const isThere = drawn.threads.map((_, index) => index > 0 && isFar && random.chance(0.4));
  return { ...drawn, threads: drawn.threads.map((one, index) => (isThere[index] === true ? { ...one, device } : one)) };
}

function widerOperation(random: Random, streams: readonly string[], isFar: boolean): OperationInput {
  const stream = random.pick(streams);
  // An event belongs to one device.
  const event = farStreams.includes(stream) ? 'farE' : random.pick(['e', 'e', 'f']);
  const host = random.pick(['pinned', 'mapped', 'host']);
  const device = random.pick(['device', 'other']);
  switch (random.below(14)) {
    case 0:
    case 1:
      return randomCopy(random, host, device, stream);
    case 2:
    case 3:
      return randomCopy(random, device, host, stream);
    case 4:
      return random.chance(0.5)
        ? randomCopy(random, 'device', 'other', stream)
        : randomCopy(random, random.pick(['pinned', 'copied']), 'mapped', stream);
    case 5:
    case 6:
      return widerKernel(random, stream);
    case 7:
      return { op: 'memset', buffer: random.pick([device, 'mapped', 'pinned']), stream };
    case 8:
      return random.chance(0.5)
        ? { op: 'write', buffer: host, pattern: { kind: 'constant', value: 1 } }
        : { op: 'read', buffer: host };
    case 9:
      return { op: 'recordEvent', event, stream };
    case 10:
      return { op: 'waitEvent', event: random.pick(isFar ? ['e', 'f', 'farE'] : ['e', 'f']), stream };
    case 11:
      return random.pick<OperationInput>([
        { op: 'synchronizeStream', stream },
        { op: 'synchronizeEvent', event },
        { op: 'synchronizeDevice', device: random.pick(['near', 'far']) },
        { op: 'queryEvent', event },
        { op: 'elapsedTime', start: 'e', end: 'f' },
      ]);
    case 12:
      return random.pick<OperationInput>([
        {
          op: 'multiCopy',
          payload: { tensors: 2, bytes: 16 },
          direction: random.pick(['h2d', 'd2h', 'd2d', 'h2h']),
          stream,
        },
        { op: 'pin', src: 'host', dst: 'copied' },
        { op: 'item', buffer: device, stream },
        { op: 'hostFunction', durationNs: 1, stream },
      ]);
    default:
      return random.chance(0.5) ? { op: 'recordEvent', event, stream } : { op: 'synchronizeStream', stream };
  }
}

function widerKernel(random: Random, stream: string): OperationInput {
  const [reads, writes] = random.pick([
    [['device'], ['other']],
    [['mapped'], ['device']],
    [['device'], ['mapped']],
    [[], [random.pick(['pinned', 'copied'])]],
    [['other'], []],
  ]);
  return { op: 'kernel', kernel: { kind: 'spin', durationNs: 1 }, reads, writes, stream };
}

/** Makes, uses and frees a buffer, once or twice. */
function lifeOf(random: Random, streams: readonly string[]): OperationInput[] {
  const buffer = random.pick(['block', 'tensor', 'tensor', 'page']);
  const allocators = buffer === 'block' ? ['caching', 'pool', 'cuda-malloc'] : ['caching', 'cuda-malloc'];
  const allocator = random.pick(allocators);
  const isPinned = buffer === 'tensor' && allocator === 'caching';
  const life: OperationInput[] = [];
  for (let time = random.chance(0.3) ? 2 : 1; time > 0; time -= 1) {
    const stream = random.pick(streams);
    life.push(
      isPinned && random.chance(0.5)
        ? { op: 'pin', src: 'host', dst: buffer }
        : { op: 'allocate', buffer, allocator, stream },
    );
    for (let made = 1 + random.below(2); made > 0; made -= 1) life.push(usageOf(random, buffer, random.pick(streams)));
    if (random.chance(0.2)) life.push({ op: 'recordStream', buffer: 'block', stream: random.pick(streams) });
    life.push({ op: 'free', buffer, stream: random.pick(streams) });
  }
  return life.filter(({ op }) => op !== 'recordStream' || buffer === 'block');
}

function usageOf(random: Random, buffer: string, stream: string): OperationInput {
  const copies: OperationInput[] = [
    { op: 'copy', src: buffer, dst: 'device', stream },
    { op: 'copy', src: 'device', dst: buffer, stream },
  ];
  if (buffer === 'page') return random.pick(copies);
  const kernel = { kind: 'spin', durationNs: 1 };
  return random.pick<OperationInput>([...copies, { op: 'kernel', kernel, reads: [buffer], stream }]);
}

/** Captures one branch or two, with one or two launches. */
function graphOf(random: Random, streams: readonly string[], isFar: boolean, signals: boolean): OperationInput[] {
  const capture = (): OperationInput => {
    const node = (stream: string): OperationInput => {
      for (;;) {
        const drawn = random.chance(0.25) ? usageOf(random, 'block', stream) : widerOperation(random, [stream], isFar);
        const isNode = ['copy', 'kernel', 'memset'].includes(drawn.op) && drawn['mode'] !== 'blocking-memcpy';
        if (isNode && drawn['mode'] !== 'blocking-to') return drawn;
      }
    };
    const operations = [node('a')];
    if (random.chance(0.4)) {
      const [fork, join] = ['forked', 'joined'];
      operations.unshift(...(random.chance(0.3) ? [node('a')] : []), { op: 'recordEvent', event: fork, stream: 'a' });
      operations.push({ op: 'waitEvent', event: fork, stream: 'b' }, node('b'));
      operations.push({ op: 'recordEvent', event: join, stream: 'b' }, { op: 'waitEvent', event: join, stream: 'a' });
      if (random.chance(0.3)) operations.push(node('a'));
    }
    const host: OperationInput = { op: 'write', buffer: 'host', pattern: { kind: 'constant', value: 1 } };
    if (random.chance(0.2)) operations.splice(random.below(operations.length + 1), 0, host);
    if (signals && random.chance(0.3)) operations.push({ op: 'signal', signal: 'go0' });
    return { op: 'graphCapture', graph: 'g', stream: 'a', operations };
  };
  const launch = (): OperationInput => ({ op: 'graphLaunch', graph: 'g', stream: random.pick(streams) });
  const again = random.chance(0.3) ? [capture(), launch()] : random.chance(0.5) ? [launch()] : [];
  return [capture(), launch(), ...again];
}

/** Puts `added` into the list, each somewhere after the one before it. */
function merge(random: Random, list: OperationInput[], added: readonly OperationInput[]): void {
  let at = 0;
  for (const operation of added) {
    at += random.below(list.length - at + 1);
    list.splice(at, 0, operation);
    at += 1;
  }
}
