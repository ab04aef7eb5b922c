/** Small random experiments for the oracle with features that programs.ts leaves out. */
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { experimentOf } from '../support/experiments.ts';
import type { Random } from '../support/random.ts';
import { addRepeat, addSignals, type OperationInput, randomCopy } from './programs.ts';

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
