/** Copies by size, direction and memory; how pageable memory is staged; both directions at once; between devices. */
import type { Measurement } from '../bench/measurement.ts';
import { formatBytes, KiB, MiB } from '../units.ts';
import { copy, copySizes, pause, query, repeat, spin, stream, synchronize, warmUp } from './operations.ts';
import type { Operation, PlanBuilder } from './plan.ts';
import { callNs, durationOf, type Recorded, workNs } from './reading.ts';

const standard: Measurement = {
  kind: 'copy',
  direction: 'h2d',
  memory: 'pinned',
  method: 'loop',
  device: 0,
  peer: 0,
  peerAccess: false,
  bytes: 4096,
  capacity: 0,
  count: 16,
  samples: 7,
  warmups: 2,
};

const host = (id: string, memory: 'pinned' | 'pageable', bytes: number) => ({ id, memory, bytes });
const device = (id: string, bytes: number) => ({ id, memory: 'device' as const, bytes });

/** But for the first in an iteration: its memory lies where the preparation has left it, in another processor's caches. */
const laterWorkNs = (label: string) => (recorded: Recorded) => workNs(label)(recorded).slice(1);
const laterCallNs = (label: string) => (recorded: Recorded) => callNs(label)(recorded).slice(1);
const optional = (span: Parameters<typeof durationOf>[0] | undefined) =>
  span === undefined ? undefined : durationOf(span);

/** Up to this size copies share a probe, and each is made several times: a single one of a few microseconds says little. */
const together = 4 * MiB;
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
  addStagedOut(builder);
  addResidency(builder);
  const within = sizes.filter((bytes) => bytes >= 4096);
  for (const group of groups(within)) addDeviceCopies(builder, group);
  addQueuedCopies(builder);
  addCommandCopies(builder);
  addRecordedCopies(builder);
  addBoth(builder, sizes.at(-1) ?? 256);
  if (builder.options.devices > 1) addPeers(builder, within);
}

/**
 * Sizes that share a probe. Each has buffers of its own, which the caches hold as they do in an experiment: in the middle of
 * one large buffer, which its filling has pushed out of them, pageable copies took up to twice as long on H200 machines
 * as copies of the same size did in experiments.
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
  const path = `copies.${direction}.${memory}`;
  for (const bytes of sizes) {
    found.point(`${path}.device`, 'bytes', bytes, laterWorkNs(`${bytes}`));
    // A recorder makes calls longer, so that their cost is better measured without one.
    const measurement = { ...standard, direction, memory, bytes, capacity: bytes };
    const bench =
      memory === 'pinned' ? { measurement, read: ({ callNs: ns }: { callNs: Float64Array }) => [...ns] } : undefined;
    found.point(`${path}.call`, 'bytes', bytes, laterCallNs(`${bytes}`), bench);
    if (memory === 'pageable' && direction === 'h2d') addInline(found, bytes);
  }
}

function addDeviceCopies(builder: PlanBuilder, sizes: readonly number[]): void {
  const buffers = [...sizes.flatMap((bytes) => [device(`from${bytes}`, bytes), device(`to${bytes}`, bytes)])];
  const operations = [warmUp(copy('warm', `from${sizes[0]}`, `to${sizes[0]}`, 4096)), ...copiesOf(sizes)];
  const found = builder.probe(`copies d2d ${nameOf(sizes)}`, { buffers, streams: [stream] }, operations);
  for (const bytes of sizes) {
    found.point('copies.d2d.device', 'bytes', bytes, laterWorkNs(`${bytes}`));
    found.point('copies.d2d.call', 'bytes', bytes, laterCallNs(`${bytes}`));
  }
}

/** Copies behind work, as the benchmark's wait behind a closed gate. */
function addRecordedCopies(builder: PlanBuilder): void {
  const { bytes } = standard;
  const measurement = { ...standard, capacity: bytes, count: 64, samples: 21 };
  builder.compare('recorder.copyCallNs', {
    id: 'copies behind work',
    parts: { streams: [stream], buffers: [host('from', 'pinned', bytes), device('to', bytes)] },
    operations: [spin('hold', 1_000_000), repeat(measurement.count, copy('copy', 'from', 'to', bytes)), synchronize()],
    read: callNs('copy'),
    bench: { measurement, read: ({ callNs: ns }) => [...ns] },
  });
}

/** Small copies behind work, which the copy engine takes; smaller ones still go through the compute channel. */
function addQueuedCopies(builder: PlanBuilder): void {
  const buffers = [host('from', 'pinned', 4096), device('to', 4096)];
  const operations = [spin('hold', 200_000), repeat(10, copy('queued', 'from', 'to', 4096)), synchronize()];
  builder
    .probe('queued copies', { buffers, streams: [stream] }, operations)
    .value('queue.queuedCopyNs', workNs('queued'));
}

const behindSizes = [256, 512, 768, KiB, 1.5 * KiB, 2 * KiB, 4 * KiB, 8 * KiB, 16 * KiB];
const idleSizes = [4, 8, 12, 16, 20, 22, 24, 26, 28, 32, 40, 48, 64].map((size) => size * KiB);

/** Up to which size copies from page-locked memory run on the compute channel: behind other work, and by themselves. */
function addCommandCopies(builder: PlanBuilder): void {
  const add = (path: string, sizes: readonly number[], operations: (copies: readonly Operation[]) => Operation[]) => {
    const largest = sizes.at(-1) ?? 0;
    const buffers = [host('from', 'pinned', largest), device('to', largest)];
    const copies = sizes.map((bytes) => copy(`${bytes}`, 'from', 'to', bytes));
    const name = `small copies: ${path}`;
    builder
      .probe(name, { buffers, streams: [stream] }, operations(copies))
      .value(path, (recorded) => largestOnCompute(recorded, sizes));
  };
  add('queue.commandCopyBytes', behindSizes, (copies) => [spin('hold', 200_000), ...copies, synchronize()]);
  add('queue.idleCommandCopyBytes', idleSizes, (copies) =>
    copies.flatMap((one, index) => [one, synchronize(`end ${index}`)]),
  );
}

/** 0 where none runs there; unknown where the recorder doesn't name channels. */
function largestOnCompute(recorded: Recorded, sizes: readonly number[]): number | undefined {
  const channels = sizes.map((bytes) => recorded.work(`${bytes}`)?.channelType);
  if (channels.some((channel) => channel === undefined || channel === 'unknown')) return undefined;
  const other = channels.findIndex((channel) => channel !== 'compute');
  return other < 0 ? sizes.at(-1) : (sizes[other - 1] ?? 0);
}

/** Copies that travel in the command buffer run on the compute channel, which a recorder tells. */
function addInline(found: ReturnType<PlanBuilder['probe']>, bytes: number): void {
  const inline = (recorded: Recorded) => {
    const work = recorded.work(`${bytes}`);
    return work?.channelType === 'compute' ? work : undefined;
  };
  found.value('staging.inlineBytes', (recorded) => (inline(recorded) === undefined ? undefined : bytes));
  found.point('staging.inline', 'bytes', bytes, (recorded) => optional(inline(recorded)));
}

/** The first piece starts when the host has staged it: its share of the call is its share of the copy. */
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

/** Into pageable memory: what the driver prepares, and what takes longer where another processor has just written. */
function addStagedOut(builder: PlanBuilder): void {
  const bytes = Math.min(MiB, builder.options.largestBytes);
  const buffers = [host('small', 'pageable', 256), host('to', 'pageable', bytes), device('from', bytes)];
  const small = (label: string) => [copy(label, 'from', 'small', 256), synchronize(`end ${label}`)];
  const operations = [
    ...[spin('spin', 1000), synchronize('end spin'), ...small('warm'), repeat<Operation>(4, ...small('small'))],
    ...repeatedCopy('filled', 'written', copy('', 'from', 'to', bytes)),
  ];
  const drainNs = (recorded: Recorded, label: string): number => {
    const [call, work] = [recorded.call(label), recorded.work(label)];
    return call === undefined || work === undefined ? Number.NaN : call.endNs - work.endNs;
  };
  builder
    .probe('staging out', { buffers, streams: [stream] }, operations)
    .value('staging.prepareOutNs', (recorded) => {
      const [issued, begun] = [recorded.call('spin'), recorded.work('spin')];
      if (issued === undefined || begun === undefined) return undefined;
      const latencyNs = begun.startNs - issued.endNs;
      const calls = recorded.calls('small');
      return recorded
        .works('small')
        .map(({ startNs }, index) => startNs - (calls[index]?.startNs ?? startNs) - latencyNs);
    })
    .value('host.freshFactor', (recorded) => Math.max(1, drainNs(recorded, 'filled') / drainNs(recorded, 'written')));
}

/** The same copy under two labels, each of them synchronised: once, and once more. */
const repeatedCopy = (first: string, again: string, made: ReturnType<typeof copy>) =>
  [first, again].flatMap((label) => [query, { ...made, label }, synchronize(`end ${label}`)]);

/** Pauses after which a part of what was copied has left the caches, and after which all of it has. */
const shortPauseNs = 4_000_000;
const longPauseNs = 40_000_000;
/** What comes from memory is copied this much slower at the least. */
const leastSlower = 1.15;

function addResidency(builder: PlanBuilder): void {
  const bytes = Math.min(2 * MiB, builder.options.largestBytes);
  const buffers = [host('from', 'pageable', bytes), device('to', bytes)];
  const one = copy('', 'from', 'to', bytes);
  const operations = [
    ...repeatedCopy('first', 'at once', one),
    ...[pause(shortPauseNs), query, { ...one, label: 'later' }, synchronize('end later')],
    ...[pause(longPauseNs), query, { ...one, label: 'much later' }, synchronize('end much later')],
  ];
  builder.probe('what caches keep', { buffers, streams: [stream] }, operations).value('host.residentNs', (recorded) => {
    const [near, later, gone] = ['at once', 'later', 'much later'].map((label) => recorded.call(label));
    if (near === undefined || later === undefined || gone === undefined) return undefined;
    const nearNs = durationOf(near);
    if (durationOf(gone) < leastSlower * nearNs) return longPauseNs;
    const part = (durationOf(later) - nearNs) / (durationOf(gone) - nearNs);
    const sinceNs = later.startNs - near.endNs;
    return Math.min(longPauseNs, sinceNs / Math.sqrt(Math.min(1, Math.max(leastPart, part))));
  });
}

/** Of what comes from memory after the short pause: less can't be told from nothing. */
const leastPart = 0.01;

/** Large copies both ways, and what both move while both go on. */
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
    .value('link.h2dBytesPerSecond', rate('h2d'))
    .value('link.d2hBytesPerSecond', rate('d2h'));
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
    // Nearly all of both must have been at once for their rates to be those of both.
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
  for (const [name, peerAccess] of [
    ['access', true],
    ['viaHost', false],
  ] as const) {
    const operations = sizes.flatMap((bytes) => [copy(`${bytes}`, 'from', 'to', bytes), synchronize(`end ${bytes}`)]);
    const parts = { devices, buffers, streams: [{ ...stream, device: 'gpu' }], environment: { peerAccess } };
    const found = builder.probe(`peer ${name}`, parts, operations);
    for (const bytes of sizes) {
      found.point(`peer.${name}.device`, 'bytes', bytes, workNs(`${bytes}`));
      found.point(`peer.${name}.call`, 'bytes', bytes, callNs(`${bytes}`));
    }
  }
}
