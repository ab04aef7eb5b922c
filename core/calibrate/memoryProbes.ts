/** What allocating and freeing costs, host threads and their signals, and how fast one of them copies. */
import { median } from '../analysis/statistics.ts';
import { KiB, MiB } from '../units.ts';
import { copy, query, repeat, stream, synchronize } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded } from './reading.ts';

export function addMemoryProbes(builder: PlanBuilder): void {
  // Up to 1 MiB comes out of a block that the driver has, and takes a tenth of what more does.
  const sizes = [4096, MiB, MiB + 4096, 2 * MiB, 4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB].filter(
    (bytes) => bytes <= builder.options.largestBytes,
  );
  addKind(builder, 'device', 'cuda-malloc', 'memory.malloc', 'memory.free', sizes);
  addKind(builder, 'pinned', 'cuda-malloc', 'memory.hostAlloc', 'memory.hostFree', sizes);
  addKind(builder, 'registered', 'cuda-malloc', 'memory.hostRegister', 'memory.hostUnregister', sizes.slice(1));
  addHeld(builder, 'pool', 'memory.poolAllocateNs', 'memory.poolFreeNs');
  addHeld(builder, 'caching', 'memory.cachedNs', null);
}

type Memory = 'device' | 'pinned' | 'registered';

function addKind(
  builder: PlanBuilder,
  memory: Memory,
  allocator: 'cuda-malloc',
  allocatePath: string,
  freePath: string,
  sizes: readonly number[],
): void {
  const id = (bytes: number): string => `b${bytes}`;
  const buffers = sizes.map((bytes) => ({ id: id(bytes), memory, bytes, allocated: 'by-operation' as const }));
  // The first of its size may take what the driver has given back: 145 us for 4 MiB, where later ones took 40.
  const operations = sizes.map((bytes) =>
    repeat<Operation>(
      memory === 'device' || bytes <= MiB ? 5 : 1,
      { op: 'allocate', label: `allocate ${bytes}`, buffer: id(bytes), allocator, stream: 'work' },
      { op: 'free', label: `free ${bytes}`, buffer: id(bytes), stream: 'work' },
    ),
  );
  const found = builder.probe(`${allocator} ${memory}`, { streams: [stream], buffers }, operations);
  for (const bytes of sizes) {
    found.point(allocatePath, 'bytes', bytes, callNs(`allocate ${bytes}`));
    found.point(freePath, 'bytes', bytes, callNs(`free ${bytes}`));
  }
}

/** Memory that the allocator holds already, from the rounds before. */
function addHeld(builder: PlanBuilder, allocator: 'pool' | 'caching', allocate: string, free: string | null): void {
  const buffers = [{ id: 'a', memory: 'device' as const, bytes: MiB, allocated: 'by-operation' as const }];
  const operations = repeat(
    20,
    ...[
      { op: 'allocate' as const, label: 'allocate', buffer: 'a', allocator, stream: 'work' },
      { op: 'free' as const, label: 'free', buffer: 'a', stream: 'work' },
    ],
  );
  const found = builder.probe(`${allocator} memory`, { streams: [stream], buffers }, [operations]);
  // The first round may have taken new memory.
  found.value(allocate, (recorded) => callNs('allocate')(recorded).slice(1));
  if (free !== null) found.value(free, callNs('free'));
}

export function addHostProbes(builder: PlanBuilder): void {
  addHostCopies(builder);
  addHostRates(builder);
  const signal = (label: string, name: string) => ({ op: 'signal' as const, label, signal: name });
  const wait = (label: string, name: string) => ({ op: 'waitSignal' as const, label, signal: name });
  const pause = { op: 'work' as const, label: 'pause', durationNs: 300_000 };
  builder
    .probe(
      'host threads',
      { signals: [{ id: 'go' }, { id: 'free' }] },
      [signal('needn’t wait', 'free'), wait('has not to wait', 'free'), pause, signal('wake', 'go')],
      [wait('woken', 'go')],
    )
    .value('host.signalNs', callNs('needn’t wait'))
    .value('host.wakeNs', (recorded) => {
      const [given, taken] = [recorded.call('wake'), recorded.call('woken')];
      return given === undefined || taken === undefined ? undefined : Math.max(0, taken.endNs - given.startNs);
    });
}

/** What latency decides. */
const small = 256;
/** What fits twice into the caches near a core, into those that all cores share, and what fits into none. */
const copied = { near: 512 * KiB, cached: 4 * MiB, memory: 128 * MiB };
const leastLarge = 64 * MiB;

/**
 * Copies on the host. Beside copies of what fills all caches nothing would lie in them, so those have a probe of their own.
 * The first of a row fetches what another thread has filled.
 */
function addHostCopies(builder: PlanBuilder): void {
  const host = (bytes: number) => [
    { id: `from${bytes}`, memory: 'pageable' as const, bytes },
    { id: `to${bytes}`, memory: 'pinned' as const, bytes },
  ];
  const pin = (bytes: number) =>
    repeat<Operation>(4, { op: 'pin', label: `pin ${bytes}`, src: `from${bytes}`, dst: `to${bytes}` });
  /** Getting the page-locked memory has a row of its own. */
  const pinned = (recorded: Recorded, bytes: number) =>
    recorded
      .calls(`pin ${bytes}`)
      .filter((row) => row.bytes > 0)
      .slice(1)
      .map(durationOf);
  const rate = (bytes: number) => (recorded: Recorded) => pinned(recorded, bytes).map((ns) => (bytes / ns) * 1e9);
  const { near, cached } = copied;
  const link = [
    { id: 'pinned', memory: 'pinned' as const, bytes: small },
    { id: 'device', memory: 'device' as const, bytes: small },
  ];
  const [call, within] = [copy('call', 'pinned', 'device', small), copy('copy', `from${near}`, `to${near}`, small)];
  const operations = [
    repeat<Operation>(10, call, synchronize('end of call')),
    ...[pin(near), repeat<Operation>(10, query, within, synchronize('end')), pin(cached)],
  ];
  /** The call itself is as that of any copy. */
  const beyond = (recorded: Recorded): number => {
    const [own = 0, ofCall = 0] = ['copy', 'call'].map((one) => median(callNs(one)(recorded)));
    return Math.max(0, own - ofCall - (small / near) * median(pinned(recorded, near)));
  };
  builder
    .probe('host copies', { streams: [stream], buffers: [...host(near), ...host(cached), ...link] }, operations)
    .value('host.near.bytesPerSecond', rate(near))
    .value('host.cached.bytesPerSecond', rate(cached))
    .value('host.memcpyNs', beyond);
  const large = Math.min(copied.memory, builder.options.largestBytes);
  if (large < leastLarge) return;
  builder
    .probe('host copy from memory', { streams: [stream], buffers: host(large) }, [pin(large)])
    .value('host.memcpyBytesPerSecond', rate(large));
}

/** One thread that writes and reads memory, by what a word of it takes to work out. */
function addHostRates(builder: PlanBuilder): void {
  const bytes = 8 * MiB;
  const buffers = [
    { id: 'host', memory: 'pageable' as const, bytes },
    { id: 'arrived', memory: 'pinned' as const, bytes },
    { id: 'device', memory: 'device' as const, bytes, pattern: { kind: 'constant' as const, value: 7 } },
  ];
  const patterns = {
    write: { kind: 'constant' as const, value: 7 },
    'write index': { kind: 'index' as const },
    'write random': { kind: 'random' as const },
  };
  const write = (label: keyof typeof patterns) => ({
    ...{ op: 'write' as const, label, buffer: 'host', pattern: patterns[label] },
  });
  const read = (label: string, buffer = 'host') => ({ op: 'read' as const, label, buffer });
  const operations = [
    ...[write('write index'), write('write'), read('read'), write('write random'), read('read random')],
    ...[copy('down', 'device', 'arrived', bytes), synchronize(), read('read arrived', 'arrived')],
  ];
  const rate = (label: string) => (recorded: Recorded) =>
    recorded.calls(label).map((row) => (bytes / durationOf(row)) * 1e9);
  builder
    .probe('host memory', { streams: [stream], buffers }, operations)
    .value('host.writeBytesPerSecond', rate('write'))
    .value('host.readBytesPerSecond', rate('read'))
    .value('host.indexBytesPerSecond', rate('write index'))
    .value('host.randomBytesPerSecond', rate('write random'))
    .value('host.readRandomBytesPerSecond', rate('read random'))
    .value('host.readArrivedBytesPerSecond', rate('read arrived'));
}
