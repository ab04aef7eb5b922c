/** Probes for allocating and freeing, host threads, their signals, and their copying speed. */
import { MiB } from '../../units.ts';
import { repeat, stream } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded } from './reading.ts';

export function addMemoryProbes(builder: PlanBuilder): void {
  // Up to 1 MiB comes out of a block that the driver already has, and takes a tenth of the time of larger sizes.
  const sizes = [4096, MiB, MiB + 4096, 2 * MiB, 4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB].filter(
    (bytes) => bytes <= builder.options.largestBytes,
  );
  addKind(builder, 'device', 'cuda-malloc', 'memory.malloc', 'memory.free', sizes);
  addKind(builder, 'pinned', 'cuda-malloc', 'memory.pin', 'memory.unpin', sizes);
}

type Memory = 'device' | 'pinned';

function addKind(
  builder: PlanBuilder,
  memory: Memory,
  allocator: 'cuda-malloc',
  allocatePath: 'memory.malloc' | 'memory.pin',
  freePath: 'memory.free' | 'memory.unpin',
  sizes: readonly number[],
): void {
  const id = (bytes: number): string => `b${bytes}`;
  const buffers = sizes.map((bytes) => ({ id: id(bytes), memory, bytes, allocated: 'by-operation' as const }));
  // Repeated, because the first of a size may take longer: 145 us for 4 MiB, where later ones took 40 us.
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
    .value('host.wakeNs', (recorded) => {
      const [given, taken] = [recorded.call('wake'), recorded.call('woken')];
      return given === undefined || taken === undefined ? undefined : Math.max(0, taken.endNs - given.startNs);
    });
}

/** Sizes that fit into the host's caches, and that don't. */
const copied = { cached: 4 * MiB, memory: 128 * MiB };
const leastLarge = 64 * MiB;

/** Cached copies have a probe of their own, because large copies would evict their data. */
function addHostCopies(builder: PlanBuilder): void {
  const add = (name: string, path: 'host.cachedBytesPerSecond' | 'host.memcpyBytesPerSecond', bytes: number): void => {
    const buffers = [
      { id: 'from', memory: 'pageable' as const, bytes },
      { id: 'to', memory: 'pinned' as const, bytes },
    ];
    const pins = repeat<Operation>(4, { op: 'pin', label: 'pin', src: 'from', dst: 'to' });
    // Leaves out the first, which fetches data that another thread has filled. Getting page-locked memory has its own
    // rows.
    builder.probe(name, { streams: [stream], buffers }, [pins]).value(path, (recorded) =>
      recorded
        .calls('pin')
        .filter((row) => row.bytes > 0)
        .slice(1)
        .map((row) => (bytes / durationOf(row)) * 1e9),
    );
  };
  add('host copies', 'host.cachedBytesPerSecond', copied.cached);
  const large = Math.min(copied.memory, builder.options.largestBytes);
  if (large >= leastLarge) add('host copy from memory', 'host.memcpyBytesPerSecond', large);
}

/** Measures one thread that writes memory, by the cost of computing a word. */
function addHostRates(builder: PlanBuilder): void {
  const bytes = 8 * MiB;
  const buffers = [{ id: 'host', memory: 'pageable' as const, bytes }];
  const write = (kind: 'index' | 'random') => ({
    ...{ op: 'write' as const, label: kind, buffer: 'host', pattern: { kind } },
  });
  const rate = (label: string) => (recorded: Recorded) =>
    recorded.calls(label).map((row) => (bytes / durationOf(row)) * 1e9);
  builder
    .probe('host memory', { streams: [stream], buffers }, [write('index'), write('random')])
    .value('host.indexBytesPerSecond', rate('index'))
    .value('host.randomBytesPerSecond', rate('random'));
}
