/** Probes for the speed of kernels: from memory and L2, in arithmetic, on some multiprocessors, over the link. */

import { keptWholly } from '../../machine/cost/kernel.ts';
import { median } from '../../statistics.ts';
import { KiB, MiB } from '../../units.ts';
import { repeat, spin, stream, synchronize, warmUp } from './operations.ts';
import type { PlanBuilder } from './plan.ts';
import { durationOf, type Recorded, workNs } from './reading.ts';

const shares = [0.1, 0.25, 0.5, 1];
const flops = 2e10;
const spinNs = 20_000;

const byteStream = (label: string, reads: string, writes: string, passes: number, smShare = 1) => ({
  op: 'kernel' as const,
  label,
  kernel: { kind: 'stream' as const, passes },
  ...{ reads: [reads], writes: [writes], smShare, stream: 'work' },
});
const arithmetic = (label: string, amount: number, smShare = 1) => ({
  op: 'kernel' as const,
  label,
  kernel: { kind: 'arithmetic' as const, flops: amount },
  ...{ smShare, stream: 'work' },
});
const device = (id: string, bytes: number) => ({ id, memory: 'device' as const, bytes });

/** Returns the median over the iteration. */
const nsOf = (recorded: Recorded, label: string): number => median(workNs(label)(recorded));
/** Returns the extra time of the longer kernel, in which the start-up cost cancels out. */
const slower = (recorded: Recorded, less: string, more: string): number => nsOf(recorded, more) - nsOf(recorded, less);

export function addKernelProbes(builder: PlanBuilder): void {
  const spins = [spin('short', spinNs), synchronize()];
  builder
    .probe('spin', { streams: [stream] }, spins)
    .value('kernel.startNs', (recorded) => Math.max(0, nsOf(recorded, 'short') - spinNs));
  addMemory(builder);
  addLatencies(builder);
  addCache(builder);
  addShares(builder);
  addMapped(builder);
  addBesideBlocks(builder);
}

function addMemory(builder: PlanBuilder): void {
  const bytes = Math.min(256 * MiB, builder.options.largestBytes);
  const operations = [byteStream('2', 'a', 'b', 2), byteStream('6', 'a', 'b', 6), synchronize()];
  builder
    .probe('kernel memory', { streams: [stream], buffers: [device('a', bytes), device('b', bytes)] }, operations)
    .value('kernel.deviceBytesPerSecond', (recorded) => ((2 * bytes * 4) / slower(recorded, '2', '6')) * 1e9);
}

/** Passes over a few bytes measure latency; a kernel with hardly any arithmetic measures the fixed time. */
function addLatencies(builder: PlanBuilder): void {
  const [few, many] = [10, 210];
  const bytes = 4096;
  const buffers = [device('a', bytes), device('b', bytes)];
  const tiny = (label: string, passes: number) => byteStream(label, 'a', 'b', passes);
  const operations = [
    ...[spin('short', spinNs), tiny('one', 1), tiny('few', few), tiny('many', many)],
    ...[arithmetic('small', flops / 100), arithmetic('larger', flops / 10), synchronize()],
  ];
  builder
    .probe('kernel latencies', { streams: [stream], buffers }, [warmUp(spin('warm', 0)), repeat(5, ...operations)])
    .value('kernel.l2LatencyNs', (recorded) => slower(recorded, 'few', 'many') / (many - few))
    .value('kernel.memoryLatencyNs', (recorded) => Math.max(0, nsOf(recorded, 'one') - startOf(recorded)))
    .value('kernel.arithmeticNs', (recorded) => {
      const smallNs = slower(recorded, 'small', 'larger') / 9;
      return Math.max(0, nsOf(recorded, 'small') - smallNs - startOf(recorded));
    });
}

const startOf = (recorded: Recorded): number => nsOf(recorded, 'short') - spinNs;

/** From the third pass on a kernel works in one buffer. The size at which its speed changes gives that of L2. */
function addCache(builder: PlanBuilder): void {
  const sizes = [1, 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 128].map((mib) => mib * MiB);
  const largest = sizes.at(-1) ?? MiB;
  const buffers = sizes.flatMap((bytes) => [device(`a${bytes}`, bytes), device(`b${bytes}`, bytes)]);
  const operations = sizes.flatMap((bytes) => [
    byteStream(`2 ${bytes}`, `a${bytes}`, `b${bytes}`, 2),
    byteStream(`22 ${bytes}`, `a${bytes}`, `b${bytes}`, 22),
  ]);
  const rate = (recorded: Recorded, bytes: number): number =>
    ((2 * bytes * 20) / slower(recorded, `2 ${bytes}`, `22 ${bytes}`)) * 1e9;
  builder
    .probe('kernel cache', { streams: [stream], buffers }, [...operations, synchronize()])
    .value('kernel.l2BytesPerSecond', (recorded) => Math.max(...[4, 6, 8].map((mib) => rate(recorded, mib * MiB))))
    .value('kernel.l2Bytes', (recorded) => {
      const [near, far] = [rate(recorded, 4 * MiB), rate(recorded, largest)];
      // Without a clear step in speed, the size can't be determined.
      if (!(near > 1.15 * far)) return undefined;
      const last = sizes.findLastIndex((bytes) => rate(recorded, bytes) > Math.sqrt(near * far));
      const bytes = ((sizes[last] ?? 0) + (sizes[last + 1] ?? sizes[last] ?? 0)) / 2;
      const kept = 1 / (1 + Math.sqrt(far / near));
      return Math.round(bytes / (1 - kept * (1 - keptWholly)));
    });
}

function addShares(builder: PlanBuilder): void {
  const bytes = Math.min(256 * MiB, builder.options.largestBytes);
  const buffers = [device('a', bytes), device('b', bytes)];
  const operations = shares.flatMap((share) => [
    ...[byteStream(`1 on ${share}`, 'a', 'b', 1, share), byteStream(`3 on ${share}`, 'a', 'b', 3, share)],
    ...[arithmetic(`some on ${share}`, flops, share), arithmetic(`more on ${share}`, 3 * flops, share)],
  ]);
  const found = builder.probe('multiprocessors', { streams: [stream], buffers }, [...operations, synchronize()]);
  for (const share of shares) {
    const part = (less: string, more: string) => (recorded: Recorded) =>
      Math.min(
        1,
        slower(recorded, `${less} on 1`, `${more} on 1`) /
          slower(recorded, `${less} on ${share}`, `${more} on ${share}`),
      );
    found.point('kernel.streamShares', 'share', share, part('1', '3'));
  }
  found.value('kernel.flopsPerSecond', (recorded) => ((2 * flops) / slower(recorded, 'some on 1', 'more on 1')) * 1e9);
}

function addMapped(builder: PlanBuilder): void {
  const [small, large] = [4 * MiB, Math.min(64 * MiB, builder.options.largestBytes)];
  const mapped = (id: string, bytes: number) => ({ id, memory: 'mapped' as const, bytes });
  const buffers = [small, large].flatMap((bytes) => [mapped(`m${bytes}`, bytes), device(`d${bytes}`, bytes)]);
  const operations = [small, large].flatMap((bytes) => [
    byteStream(`read ${bytes}`, `m${bytes}`, `d${bytes}`, 1),
    byteStream(`write ${bytes}`, `d${bytes}`, `m${bytes}`, 1),
  ]);
  const rate = (way: string) => (recorded: Recorded) =>
    ((large - small) / slower(recorded, `${way} ${small}`, `${way} ${large}`)) * 1e9;
  builder
    .probe('mapped memory', { streams: [stream], buffers }, [spin('short', spinNs), ...operations, synchronize()])
    .value('kernel.mappedBytesPerSecond', (recorded) => [rate('read')(recorded), rate('write')(recorded)]);
}

/** The same arithmetic alone and during a copy of blocks, which may end before it. */
function addBesideBlocks(builder: PlanBuilder): void {
  const bytes = Math.min(64 * MiB, builder.options.largestBytes);
  const buffers = [{ id: 'from', memory: 'pinned' as const, bytes }, device('to', bytes)];
  const layout = { srcLayout: 'contiguous', dstLayout: 'contiguous', blockBytes: 16 * KiB } as const;
  const ends = { src: 'from', dst: 'to', stream: 'copies', blocks: bytes / layout.blockBytes };
  const blocks = { op: 'blockCopy' as const, label: 'blocks', ...layout, ...ends, strategy: 'kernel' as const };
  builder
    .probe('blocks and arithmetic', { streams: [stream, { ...stream, id: 'copies' }], buffers }, [
      ...[arithmetic('alone', flops), synchronize(), blocks, arithmetic('beside', flops), synchronize()],
      synchronize('copied', 'copies'),
    ])
    .value('kernel.besideBlocksPart', (recorded) => {
      const [alone, beside, copy] = ['alone', 'beside', 'blocks'].map((label) => recorded.work(label));
      if (alone === undefined || beside === undefined || copy === undefined) return undefined;
      const bothNs = Math.min(beside.endNs, copy.endNs) - Math.max(beside.startNs, copy.startNs);
      const part = (durationOf(alone) - (durationOf(beside) - bothNs)) / bothNs;
      // Too short a time together says nothing.
      return bothNs > durationOf(alone) / 4 ? Math.min(1, part) : undefined;
    });
}

export function addHostFunctionProbes(builder: PlanBuilder): void {
  const call = (label: string) => ({ op: 'hostFunction' as const, label, durationNs: 20_000, stream: 'work' });
  builder
    .probe('host functions', { streams: [stream] }, [
      warmUp(call('warm function')),
      spin('before', spinNs),
      call('behind'),
      synchronize(),
    ])
    .value('hostFunction.startNs', (recorded) => {
      const [before, behind] = [recorded.work('before'), recorded.work('behind')];
      return before === undefined || behind === undefined ? Number.NaN : Math.max(0, behind.startNs - before.endNs);
    });
}
