/**
 * How fast one host thread copies memory: as fast as where it reads and where it writes. Both lie in the caches of the
 * thread's own processor, in those that all processors share, or in memory.
 */
import type { DeviceProfile } from './profile.ts';

/**
 * Of a copy's time, what writing takes. On eight H200 machines tensors that came from memory were put into one page-locked
 * block of up to 4 MiB at 8.2 to 11 GB/s, those that went to memory as well at 5.3 to 8.4, and what lay in caches at 10 to 14.
 */
const writtenPart = 1 / 2;

/** As the parameters of the profile's section `host` are called. */
export type MemcpyParameter = 'near.bytesPerSecond' | 'cached.bytesPerSecond' | 'memcpyBytesPerSecond';

export interface MemcpyRate {
  readonly name: MemcpyParameter;
  readonly bytesPerSecond: number;
}

/** Of a thread that copies so many bytes in a row. */
export function memcpyParameter({ host }: DeviceProfile, bytes: number): MemcpyRate {
  const { near, cached, memcpyBytesPerSecond } = host;
  if (near !== undefined && bytes <= near.bytes) return { name: 'near.bytesPerSecond', ...near };
  if (cached !== undefined && bytes <= cached.bytes) return { name: 'cached.bytesPerSecond', ...cached };
  return { name: 'memcpyBytesPerSecond', bytesPerSecond: memcpyBytesPerSecond };
}

/** How long a copy of so many bytes from host to host takes by itself. */
export function hostCopyNs(profile: DeviceProfile, bytes: number): number {
  return (profile.host.memcpyNs ?? 0) + (bytes / memcpyParameter(profile, bytes).bytesPerSecond) * 1e9;
}

/** The rate where all of it has been touched so lately that caches hold as much of it as they can. */
export function keptRate(profile: DeviceProfile, bytes: number): number {
  const { name, bytesPerSecond } = memcpyParameter(profile, bytes);
  const isInLastCache = name === 'memcpyBytesPerSecond' && fitsCaches(profile, bytes);
  return isInLastCache ? (profile.host.cached?.bytesPerSecond ?? bytesPerSecond) : bytesPerSecond;
}

/** Whether caches hold so many bytes. */
export function fitsCaches({ host }: DeviceProfile, bytes: number): boolean {
  return bytes <= Math.max(host.near?.bytes ?? 0, host.cached?.bytes ?? 0, host.lastLevelBytes ?? 0);
}

/** Bytes per second of a thread that copies many tensors. */
export interface LoopRates {
  /** While caches hold what it reads and writes. */
  readonly kept: number;
  /** Once what it reads has left them, and where each tensor has a place of its own to go to, that as well. */
  readonly gone: number;
}

/** Where `from` bytes of memory are read in a row, and `to` written: fewer where several tensors go to one place. */
export function loopRates(profile: DeviceProfile, from: number, to: number): LoopRates {
  const { memcpyBytesPerSecond } = profile.host;
  const writes = keptRate(profile, to);
  const kept = together(keptRate(profile, from), writes);
  return { kept, gone: together(memcpyBytesPerSecond, to < from ? writes : memcpyBytesPerSecond) };
}

const together = (reads: number, writes: number): number => 1 / ((1 - writtenPart) / reads + writtenPart / writes);

/** What sixteen processors keep for themselves. */
const ownBytes = 2 ** 25;

/**
 * Of a thread that copies what a device has brought to `bytes` of tensors, which many threads have just overwritten
 * (overwrittenTargets.ts): as much of them as those threads' processors keep is written like anything in caches, which was
 * 11.6 to 14 GB/s for 8 to 35 MB on seven H200 machines. The rest is written to memory, `arrivedPart` of the time that a copy
 * from memory takes: 11.3 GB/s for 77 MB.
 */
export function arrivedRate(profile: DeviceProfile, bytes: number): number {
  const { arrivedPart = 1, memcpyBytesPerSecond } = profile.host;
  const kept = Math.min(1, ownBytes / bytes);
  return 1 / (kept / keptRate(profile, bytes) + (arrivedPart * (1 - kept)) / memcpyBytesPerSecond);
}
