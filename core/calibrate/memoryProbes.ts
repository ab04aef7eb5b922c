/** What allocating and freeing costs, host threads and their signals, and how fast one of them copies. */
import { MiB } from '../units.ts';
import { copy, repeat, stream, synchronize } from './operations.ts';
import type { PlanBuilder } from './plan.ts';
import { durationOf, type Recorded } from './reading.ts';

const calls = (label: string) => (recorded: Recorded) => recorded.calls(label).map(durationOf);

export function addMemoryProbes(builder: PlanBuilder): void {
  const sizes = [4096, MiB, 4 * MiB, 16 * MiB, 64 * MiB, 256 * MiB].filter(
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
  const operations = sizes.flatMap((bytes) => [
    { op: 'allocate' as const, label: `allocate ${bytes}`, buffer: id(bytes), allocator, stream: 'work' },
    { op: 'free' as const, label: `free ${bytes}`, buffer: id(bytes), stream: 'work' },
  ]);
  const found = builder.probe(`${allocator} ${memory}`, { streams: [stream], buffers }, operations);
  for (const bytes of sizes) {
    found.point(allocatePath, 'bytes', bytes, calls(`allocate ${bytes}`));
    found.point(freePath, 'bytes', bytes, calls(`free ${bytes}`));
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
  found.value(allocate, (recorded) => calls('allocate')(recorded).slice(1));
  if (free !== null) found.value(free, calls('free'));
}

export function addHostProbes(builder: PlanBuilder): void {
  const bytes = Math.min(64 * MiB, builder.options.largestBytes);
  const buffers = [
    { id: 'from', memory: 'pageable' as const, bytes },
    { id: 'to', memory: 'pinned' as const, bytes },
  ];
  builder
    .probe('host copy', { streams: [stream], buffers }, [copy('copy', 'from', 'to', bytes), synchronize()])
    .value('host.memcpyBytesPerSecond', (recorded) => {
      const call = recorded.call('copy');
      return call === undefined ? undefined : (bytes / durationOf(call)) * 1e9;
    });
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
    .value('host.signalNs', calls('needn’t wait'))
    .value('host.wakeNs', (recorded) => {
      const [given, taken] = [recorded.call('wake'), recorded.call('woken')];
      return given === undefined || taken === undefined ? undefined : Math.max(0, taken.endNs - given.startNs);
    });
}
