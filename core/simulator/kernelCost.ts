/** What a kernel takes on the device, alone: by its kind, its share of the multiprocessors, and where its memory is. */
import type { Program, ProgramKernel } from '../program/program.ts';
import { isHostMemory } from '../trace/trace.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';

type KernelCost = Pick<
  Step,
  | 'deviceNs'
  | 'share'
  | 'exclusive'
  | 'leavesAtPart'
  | 'isSingle'
  | 'memoryPart'
  | 'arithmeticPart'
  | 'linkIn'
  | 'linkOut'
  | 'bytes'
>;

const none = { isSingle: false, memoryPart: 0, arithmeticPart: 0, linkIn: 0, linkOut: 0, bytes: 0 };

/** With a share of less than 1 a kernel has a block of half of a multiprocessor's threads on each (native/src/cuda_kernels.cu). */
const threadsOfBlock = 0.5;
/**
 * Up to this part of L2 a pass finds all that the one before it has left, which is the destination alone, and beyond L2
 * nothing. On H200 machines (63 MB) later passes over 34 MB moved 7.9 TB/s, over 49 MB 5.8, over 67 MB 4.1.
 */
export const keptWholly = 2 / 3;
/** In the second pass it shares L2 with what is left of the source: with 30 MB it moved 6.6 TB/s, with 40 and 50 MB 4. */
const besideSource = 1.5;
/** What a thread of a byte-streaming kernel moves at once. */
const wordBytes = 16;

export function kernelCost(
  kernel: ProgramKernel,
  smShare: number,
  program: Program,
  profile: DeviceProfile,
): KernelCost {
  const { startNs } = profile.kernel;
  // With a share of 1 a spin is one thread, which takes a place that a full device doesn't have.
  if (kernel.kind === 'spin') {
    const deviceNs = startNs + kernel.durationNs;
    if (smShare < 1) return { ...none, ...room(smShare, 1), deviceNs, leavesAtPart: 1 };
    return { ...none, deviceNs, share: 0, exclusive: 0, leavesAtPart: 1, isSingle: true };
  }
  if (kernel.kind === 'arithmetic') {
    const part = throughput(profile.kernel.arithmeticShares, smShare);
    const workNs = (kernel.flops / (profile.kernel.flopsPerSecond * part)) * 1e9;
    const deviceNs = startNs + workNs + (profile.kernel.arithmeticNs ?? 0);
    const leavesAtPart = smShare < 1 ? 1 : (profile.kernel.arithmeticLeavesAtPart ?? 1);
    return { ...none, ...room(smShare, 1), deviceNs, leavesAtPart, arithmeticPart: part };
  }
  const crossing = linkBytes(kernel, program);
  const moved = 2 * kernel.bytes * kernel.passes - crossing.linkIn - crossing.linkOut;
  const blocks = room(smShare, filledPart(kernel.bytes, profile));
  const busy = smShare < 1 ? blocks.exclusive : 1;
  const memory = streamTimes(kernel, moved, throughput(profile.kernel.streamShares, busy), profile);
  const linkNs = Math.max(
    (crossing.linkIn / profile.kernel.mappedReadBytesPerSecond) * 1e9,
    (crossing.linkOut / profile.kernel.mappedWriteBytesPerSecond) * 1e9,
  );
  const workNs = linkNs === 0 ? memory.workNs : Math.max(memory.workNs, profile.kernel.mappedNs + linkNs);
  // Every field by itself: this is worked out for thousands of kernels, and a copy of two objects takes much memory.
  return {
    deviceNs: startNs + workNs,
    share: blocks.share,
    exclusive: blocks.exclusive,
    leavesAtPart: smShare < 1 ? 1 : (profile.kernel.streamLeavesAtPart ?? 1),
    isSingle: false,
    memoryPart: workNs === 0 ? 0 : Math.min(1, memory.fullNs / workNs),
    arithmeticPart: 0,
    linkIn: crossing.linkIn,
    linkOut: crossing.linkOut,
    bytes: kernel.bytes,
  };
}

/** What its blocks take where they fill `part` of the device, as far as its share of the multiprocessors lets them. */
function room(smShare: number, part: number): Pick<Step, 'share' | 'exclusive'> {
  if (smShare >= 1) return { share: Math.min(1, part), exclusive: 0 };
  // A block on a multiprocessor moves as much as half of the blocks that fill it.
  const exclusive = Math.min(smShare, part / threadsOfBlock);
  return { share: exclusive * threadsOfBlock, exclusive };
}

/** How much of the device the blocks would fill that so many bytes need, which may be more than there is. */
export const filledPart = (bytes: number, { kernel }: DeviceProfile): number =>
  kernel.fillBytes === undefined ? 1 : bytes / kernel.fillBytes;

interface StreamTimes {
  /** What it takes by itself, and what the device's memory alone would take for it. */
  readonly workNs: number;
  readonly fullNs: number;
}

/**
 * Each pass of a byte-streaming kernel reads and writes every byte once; from the second on it does so in the destination.
 * What fits into L2 stays there; the source comes from memory first, also where a copy has just brought it (20.4 us for
 * three passes over 20 MiB on an H200).
 *
 * A pass takes what the memory takes for its bytes, and no less than the multiprocessors do: one latency, and their
 * bytes at what they can have under way. Both at work at once make it the root of the sum of squares, as queues do
 * (passes over 20 B to 16 MiB with shares of 1/8 to 1 on an H200: within 7 % in the median).
 */
function streamTimes(
  { bytes, passes }: ProgramKernel & { readonly kind: 'stream' },
  moved: number,
  part: number,
  { device, kernel }: DeviceProfile,
): StreamTimes {
  const { deviceBytesPerSecond, l2BytesPerSecond, memoryLatencyNs = 0, l2LatencyNs = 0, raggedNs = 0 } = kernel;
  // Device memory is reached through L2, so it is never the faster of the two.
  const memory = { rate: Math.min(deviceBytesPerSecond, l2BytesPerSecond), latencyNs: memoryLatencyNs };
  const isResident = 2 * bytes <= device.l2Bytes;
  const cache = { rate: l2BytesPerSecond, latencyNs: l2LatencyNs };
  /** What the multiprocessors could do if the memory were no limit: from memory, and from L2 by its latency. */
  const own = (rate: number): number => (part < 1 ? rate / Math.sqrt(1 / (part * part) - 1) : Number.POSITIVE_INFINITY);
  const isKnown = memoryLatencyNs > 0 && l2LatencyNs > 0;
  const far = own(memory.rate);
  const near = isKnown ? (far * memoryLatencyNs) / l2LatencyNs : own(cache.rate);
  const pass = (fromMemory: number, fromCache: number, latencyNs: number): StreamTimes => {
    const fullNs = (fromMemory / memory.rate + fromCache / cache.rate) * 1e9;
    return { fullNs, workNs: Math.hypot(latencyNs + (fromMemory / far + fromCache / near) * 1e9, fullNs) };
  };
  const each = moved / passes;
  const first = isResident
    ? pass(Math.min(bytes, each), Math.max(0, each - bytes), memoryLatencyNs)
    : pass(each, 0, memoryLatencyNs);
  const behind = (taken: number): StreamTimes => {
    const kept = Math.min(1, Math.max(0, (1 - taken / device.l2Bytes) / (1 - keptWholly)));
    return pass((1 - kept) * each, kept * each, (1 - kept) * memoryLatencyNs + kept * l2LatencyNs);
  };
  const [second, later] = [behind(besideSource * bytes), behind(bytes)];
  const sum = (key: keyof StreamTimes): number =>
    first[key] + (passes > 1 ? second[key] : 0) + Math.max(0, passes - 2) * later[key];
  // Whole 16-byte words first, then what is left.
  const isRagged = bytes > wordBytes && bytes % wordBytes > 0;
  return {
    workNs: sum('workNs') + (isRagged ? passes * raggedNs : 0),
    fullNs: sum('fullNs'),
  };
}

/** The first pass reads the source and writes the destination; each later one reads and writes the destination. */
function linkBytes(kernel: ProgramKernel & { readonly kind: 'stream' }, program: Program) {
  const { src, dst, bytes, passes } = kernel;
  const onHost = (buffer: number): boolean => isHostMemory(program.buffers[buffer]?.memory ?? 'unknown');
  return {
    linkIn: (onHost(src) ? bytes : 0) + (onHost(dst) ? bytes * (passes - 1) : 0),
    linkOut: onHost(dst) ? bytes * passes : 0,
  };
}

/** Straight between two measured shares, proportional below the smallest, and the last one's above it. */
export function throughput(
  points: readonly { readonly share: number; readonly part: number }[],
  share: number,
): number {
  let [lowShare, lowPart] = [0, 0];
  for (const { share: highShare, part: highPart } of points) {
    if (share <= highShare) return lowPart + ((share - lowShare) / (highShare - lowShare)) * (highPart - lowPart);
    [lowShare, lowPart] = [highShare, highPart];
  }
  return lowPart;
}
