/** Probes of copies: by size, direction and memory; staging; both directions at once; between devices. */

import { formatBytes, MiB } from '../../units.ts';
import type { Measurement } from './measurement.ts';
import { copy, copySizes, query, repeat, spin, stream, synchronize, warmUp } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded, workNs } from './reading.ts';

const standard: Measurement = {
  kind: 'copy',
  direction: 'h2d',
  memory: 'pinned',
  device: 0,
  bytes: 4096,
  capacity: 0,
  count: 16,
  samples: 7,
  warmups: 2,
};

const host = (id: string, memory: 'pinned' | 'pageable', bytes: number) => ({ id, memory, bytes });
const device = (id: string, bytes: number) => ({ id, memory: 'device' as const, bytes });

/** Drops the first in each iteration, since its memory is still in another processor's caches after preparation. */
const laterWorkNs = (label: string) => (recorded: Recorded) => workNs(label)(recorded).slice(1);
const laterCallNs = (label: string) => (recorded: Recorded) => callNs(label)(recorded).slice(1);

/** Limit up to which copies share a probe. Each runs several times: one copy of a few microseconds says little. */
const together = 4 * MiB;
const smallest = 256;
const times = 4;
const timesOfLarge = 2;

export function addCopyProbes(builder: PlanBuilder): void {
  const sizes = copySizes(builder.options.largestBytes);
  for (const memory of ['pinned', 'pageable'] as const) {
    for (const direction of ['h2d', 'd2h'] as const) {
      for (const group of groups(sizes)) addLinkCopies(builder, memory, direction, group);
    }
  }
  addChunk(builder);
  const within = sizes.filter((bytes) => bytes >= 4096);
  for (const group of groups(within)) addDeviceCopies(builder, group);
  addBoth(builder, sizes.at(-1) ?? 256);
  if (builder.options.devices > 1) addPeers(builder, within);
}

/**
 * Groups sizes that share a probe. Each size has its own buffers, cached as in an experiment. In the middle of one
 * large buffer, which filling has pushed out of the caches, pageable copies took up to twice as long on H200 machines
 * as equal copies in experiments.
 */
function groups(sizes: readonly number[]): (readonly number[])[] {
  const small = sizes.filter((bytes) => bytes <= together);
  return [...(small.length > 0 ? [small] : []), ...sizes.filter((bytes) => bytes > together).map((bytes) => [bytes])];
}

const nameOf = (sizes: readonly number[]): string => {
  const largest = formatBytes(sizes.at(-1) ?? 0);
  return sizes.length > 1 ? `up to ${largest}` : largest;
};

const copiesOf = (sizes: readonly number[]) =>
  sizes.flatMap((bytes) =>
    repeat<Operation>(
      bytes <= together ? times : timesOfLarge,
      ...[query, copy(`${bytes}`, `from${bytes}`, `to${bytes}`, bytes)],
      synchronize(`end ${bytes}`),
    ),
  );

function addLinkCopies(
  builder: PlanBuilder,
  memory: 'pinned' | 'pageable',
  direction: 'h2d' | 'd2h',
  sizes: readonly number[],
): void {
  const ends = (from: string, to: string, bytes: number) =>
    direction === 'h2d'
      ? [host(from, memory, bytes), device(to, bytes)]
      : [device(from, bytes), host(to, memory, bytes)];
  const buffers = [...sizes.flatMap((bytes) => ends(`from${bytes}`, `to${bytes}`, bytes)), ...ends('from', 'to', 4096)];
  const operations = [warmUp(copy('warm', 'from', 'to', 4096)), ...copiesOf(sizes)];
  const name = `copies ${direction} ${memory} ${nameOf(sizes)}`;
  const found = builder.probe(name, { buffers, streams: [stream] }, operations);
  const path = `copies.${direction}.${memory}` as const;
  for (const bytes of sizes) {
    const tells = memory === 'pinned' ? laterWorkNs : laterCallNs;
    found.point(path, 'bytes', bytes, tells(`${bytes}`));
    if (memory === 'pageable' && direction === 'h2d') addInline(found, bytes);
  }
  const [first] = sizes;
  if (memory !== 'pinned' || direction !== 'h2d' || first !== smallest) return;
  // A recorder makes calls longer, so their cost is better measured without one.
  const measurement = { ...standard, direction, memory, bytes: first, capacity: first };
  found.value('calls.copyNs', laterCallNs(`${first}`), { measurement, read: ({ callNs: ns }) => [...ns] });
}

function addDeviceCopies(builder: PlanBuilder, sizes: readonly number[]): void {
  const buffers = [...sizes.flatMap((bytes) => [device(`from${bytes}`, bytes), device(`to${bytes}`, bytes)])];
  const operations = [warmUp(copy('warm', `from${sizes[0]}`, `to${sizes[0]}`, 4096)), ...copiesOf(sizes)];
  const found = builder.probe(`copies d2d ${nameOf(sizes)}`, { buffers, streams: [stream] }, operations);
  for (const bytes of sizes) {
    found.point('copies.d2d', 'bytes', bytes, laterWorkNs(`${bytes}`));
  }
}

/** Finds copies that travel in the command buffer: the recorder shows that they run on the compute channel. */
function addInline(found: ReturnType<PlanBuilder['probe']>, bytes: number): void {
  const inline = (recorded: Recorded) => {
    const work = recorded.work(`${bytes}`);
    return work?.channelType === 'compute' ? work : undefined;
  };
  found.value('staging.inlineBytes', (recorded) => (inline(recorded) === undefined ? undefined : bytes));
}

/** Finds the chunk size: the first piece starts when it is staged, so its share of call and copy are equal. */
function addChunk(builder: PlanBuilder): void {
  const bytes = Math.min(32 * 2 ** 20, builder.options.largestBytes);
  const buffers = [host('host', 'pageable', bytes), device('device', bytes)];
  const operations = [spin('warm', 1000), synchronize(), copy('large', 'host', 'device', bytes), synchronize('end')];
  builder.probe('staging', { buffers, streams: [stream] }, operations).value('staging.chunkBytes', (recorded) => {
    const [call, work, warmCall, warm] = [
      recorded.call('large'),
      recorded.work('large'),
      recorded.call('warm'),
      recorded.work('warm'),
    ];
    if (call === undefined || work === undefined || warmCall === undefined || warm === undefined) return undefined;
    const latency = warm.startNs - warmCall.endNs;
    const share = (work.startNs - call.startNs - latency) / durationOf(call);
    // Drivers stage in powers of two.
    return share > 0 ? 2 ** Math.round(Math.log2(share * bytes)) : undefined;
  });
}

/** Adds large copies in both directions; measures what both move while both run. */
function addBoth(builder: PlanBuilder, largest: number): void {
  const buffers = [
    ...[host('up', 'pinned', largest), host('down', 'pinned', largest)],
    ...[device('in', largest), device('out', largest)],
  ];
  const streams = [stream, { id: 'other', flags: 'non-blocking' as const }];
  const alone = [
    copy('h2d', 'up', 'in', largest),
    synchronize(),
    copy('d2h', 'out', 'down', largest),
    synchronize('end'),
  ];
  const rate = (label: string) => (recorded: Recorded) => {
    const work = recorded.work(label);
    return work === undefined ? undefined : (largest / durationOf(work)) * 1e9;
  };
  builder
    .probe('link alone', { buffers, streams }, alone)
    .value('link.bytesPerSecond', (recorded) =>
      [rate('h2d')(recorded), rate('d2h')(recorded)].flatMap((one) => one ?? []),
    );
  const together = [
    spin('hold', 200_000),
    spin('hold too', 200_000, 'other'),
    copy('h2d', 'up', 'in', largest),
    copy('d2h', 'out', 'down', largest, 'other'),
    { op: 'synchronizeDevice' as const },
  ];
  builder.probe('link both', { buffers, streams }, together).value('link.bothBytesPerSecond', (recorded) => {
    const [up, down] = [recorded.work('h2d'), recorded.work('d2h')];
    if (up === undefined || down === undefined) return undefined;
    const common = Math.min(up.endNs, down.endNs) - Math.max(up.startNs, down.startNs);
    // The rates count only if nearly all of both ran at the same time.
    if (common < 0.9 * Math.min(durationOf(up), durationOf(down))) return undefined;
    return (largest / durationOf(up) + largest / durationOf(down)) * 1e9;
  });
}

function addPeers(builder: PlanBuilder, sizes: readonly number[]): void {
  const largest = sizes.at(-1) ?? 4096;
  const devices = [
    { id: 'gpu', index: 0 },
    { id: 'other', index: 1 },
  ];
  const buffers = [
    { ...device('from', largest), device: 'gpu' },
    { ...device('to', largest), device: 'other' },
  ];
  for (const [path, peerAccess] of [
    ['copies.peer', true],
    ['copies.peerViaHost', false],
  ] as const) {
    const operations = sizes.flatMap((bytes) => [copy(`${bytes}`, 'from', 'to', bytes), synchronize(`end ${bytes}`)]);
    const parts = { devices, buffers, streams: [{ ...stream, device: 'gpu' }], environment: { peerAccess } };
    const found = builder.probe(`${path}`, parts, operations);
    for (const bytes of sizes) found.point(path, 'bytes', bytes, workNs(`${bytes}`));
  }
}
