/**
 * How fast one host thread copies memory: as fast as where it reads and where it writes. Both lie in the caches of the
 * thread's own processor, in those that all processors share, or in memory.
 */
import type { DeviceProfile } from './profile.ts';

/**
 * Of what memory adds to a copy in caches, the part that writing does: a line is fetched before it is written, and goes
 * back. On H200 machines 200 MB that went through one page-locked block of 4 MiB were copied at 8.5 and 10.5 GB/s, those
 * that went to memory at 6 to 7, and what lay in caches at 11 to 14.
 */
const writtenPart = 2 / 3;

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

/** Where `from` bytes of memory are read in a row, and `to` written, some of them perhaps several times. */
export function memcpyRate(profile: DeviceProfile, from: number, to = from): number {
  const nsOf = (bytes: number): number => 1 / memcpyParameter(profile, bytes).bytesPerSecond;
  return 1 / ((1 - writtenPart) * nsOf(from) + writtenPart * nsOf(to));
}
