/** What a kernel takes on the device, alone: by its kind, its share of the multiprocessors, and where its memory is. */
import type { Program, ProgramKernel } from '../program/program.ts';
import { isHostMemory } from '../trace/trace.ts';
import type { DeviceProfile } from './profile.ts';
import type { Step } from './step.ts';

type KernelCost = Pick<Step, 'deviceNs' | 'share' | 'memoryPart' | 'arithmeticPart' | 'linkIn' | 'linkOut' | 'bytes'>;

const none = { memoryPart: 0, arithmeticPart: 0, linkIn: 0, linkOut: 0, bytes: 0 };

export function kernelCost(
  kernel: ProgramKernel,
  smShare: number,
  program: Program,
  profile: DeviceProfile,
): KernelCost {
  const { startNs } = profile.kernel;
  // With a share of 1 a spin is one thread, which runs beside whatever else there is.
  if (kernel.kind === 'spin') {
    return { ...none, deviceNs: startNs + kernel.durationNs, share: smShare < 1 ? smShare : 0 };
  }
  if (kernel.kind === 'arithmetic') {
    const part = throughput(profile.kernel.arithmeticShares, smShare);
    const deviceNs = startNs + (kernel.flops / (profile.kernel.flopsPerSecond * part)) * 1e9;
    return { ...none, deviceNs, share: smShare, arithmeticPart: part };
  }
  const part = throughput(profile.kernel.streamShares, smShare);
  const crossing = linkBytes(kernel, program);
  const moved = 2 * kernel.bytes * kernel.passes - crossing.linkIn - crossing.linkOut;
  const memoryNs = streamNs(kernel.bytes, moved, profile) / part;
  const linkNs = Math.max(
    (crossing.linkIn / profile.kernel.mappedReadBytesPerSecond) * 1e9,
    (crossing.linkOut / profile.kernel.mappedWriteBytesPerSecond) * 1e9,
  );
  const workNs = linkNs === 0 ? memoryNs : Math.max(memoryNs, profile.kernel.mappedNs + linkNs);
  return {
    deviceNs: startNs + workNs,
    share: smShare,
    memoryPart: workNs === 0 ? 0 : (part * memoryNs) / workNs,
    arithmeticPart: 0,
    linkIn: crossing.linkIn,
    linkOut: crossing.linkOut,
    bytes: kernel.bytes,
  };
}

/**
 * Each pass of a byte-streaming kernel reads and writes every byte once. What fits into L2 stays there; its source comes
 * from memory first, also where a copy has just brought it (20.4 us for three passes over 20 MiB on an H200).
 */
function streamNs(bytes: number, moved: number, profile: DeviceProfile): number {
  const { deviceBytesPerSecond, l2BytesPerSecond } = profile.kernel;
  // Device memory is reached through L2, so it is never the faster of the two.
  const memory = Math.min(deviceBytesPerSecond, l2BytesPerSecond);
  const isResident = 2 * bytes <= profile.device.l2Bytes;
  const first = isResident ? Math.min(bytes, moved) : moved;
  return (first / memory + (moved - first) / l2BytesPerSecond) * 1e9;
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
