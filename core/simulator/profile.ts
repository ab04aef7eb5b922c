/**
 * A device profile: what the simulator knows of one machine. Every section names where its numbers come from. Times
 * are nanoseconds, rates bytes per second. Tables hold measured points; table.ts says what lies between them.
 */
import { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { fieldPath } from '../experiment/experiment.ts';
import { type CopyDirection, isHostMemory, type MemoryKind } from '../trace/trace.ts';
import { type Bytes, type BytesPerSecond, bytesPerSecond } from '../units.ts';
import { timeTable } from './table.ts';

const profileFormat = 'copyscope/profile';
const profileVersion = 1;

/** Which measurement or publication a section's numbers are from. */
const source = z.string().min(1).max(4000);
const ns = z.number().min(0).max(1e15);
const rate = z.number().positive().max(1e18);
const byteCount = z
  .number()
  .int()
  .min(1)
  .max(2 ** 50);

const tableSchema = z
  .array(z.strictObject({ bytes: byteCount, ns: z.number().positive().max(1e15) }))
  .min(1)
  .max(1000)
  .superRefine((points, context) => {
    points.forEach((point, index) => {
      const before = points[index - 1];
      if (before === undefined) return;
      if (point.bytes <= before.bytes) {
        context.addIssue({ code: 'custom', path: [index, 'bytes'], message: 'sizes must ascend' });
      } else if (point.ns < before.ns) {
        context.addIssue({ code: 'custom', path: [index, 'ns'], message: 'a larger copy must not take less time' });
      }
    });
  });

const copySchema = z.strictObject({
  source,
  /** Time on the device of a copy that runs alone. For pageable memory, from the first piece's start to the last one's end. */
  device: tableSchema,
  /** Time in cudaMemcpyAsync when the stream and its queue are empty. For pageable memory, with the staging. */
  call: tableSchema,
});

const copiesSchema = z.strictObject({
  h2d: z.strictObject({ pinned: copySchema, pageable: copySchema }),
  d2h: z.strictObject({ pinned: copySchema, pageable: copySchema }),
  d2d: copySchema,
});

const stagingSchema = z.strictObject({
  source,
  /** A larger pageable copy passes through the driver's page-locked buffer in pieces of this size. */
  chunkBytes: byteCount,
  /** Pieces that may be staged ahead of the copy engine, or copied by it ahead of the host. */
  slots: z.number().int().min(1).max(1024),
  /** A pageable H2D copy up to this size travels in the command buffer and runs on the compute channel. */
  inlineBytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 50),
  /** Device time of such a copy. */
  inline: tableSchema,
});

const callsSchema = z.strictObject({
  source,
  /** cudaLaunchKernel, one launch after another. */
  launchNs: ns,
  /** cudaLaunchKernel where the thread's last launch is longer ago than launchWarmNs, or there was none. */
  coldLaunchNs: ns,
  launchWarmNs: ns,
  eventRecordNs: ns,
  eventWaitNs: ns,
  /** cudaStreamQuery and cudaEventQuery. */
  queryNs: ns,
  /** A synchronising call that finds everything complete. */
  synchronizeNs: ns,
  /** From completion on the device to the return of the call that waited for it. */
  wakeNs: ns,
});

const queueSchema = z.strictObject({
  source,
  /** From the return of the issuing call to the start on an idle device. */
  launchToStartNs: ns,
  /** Operations a stream may hold that haven't completed; the call that would add one more blocks. */
  depth: z.number().int().min(1).max(10_000_000),
  /** From the end of an operation on the compute channel to the start of the next of its stream there. */
  sameEngineNs: ns,
  /** From the end of an operation on one engine to the start of one on another that depends on it. */
  acrossEnginesNs: ns,
});

const kernelSchema = z.strictObject({
  source,
  /** What a kernel lasts beyond its own work. */
  startNs: ns,
  /** Bytes read and written by a byte-streaming kernel over time: from device memory, and where all fits into L2. */
  deviceBytesPerSecond: rate,
  l2BytesPerSecond: rate,
  /** Kernels that may run at once. */
  concurrent: z.number().int().min(1).max(100_000),
});

const linkSchema = z.strictObject({
  source,
  /** Each direction alone, and both directions together. */
  h2dBytesPerSecond: rate,
  d2hBytesPerSecond: rate,
  bothBytesPerSecond: rate,
});

const hostSchema = z.strictObject({
  source,
  /** One host thread copying, filling or reading memory. */
  memcpyBytesPerSecond: rate,
});

const deviceSchema = z.strictObject({
  source,
  name: z.string().min(1).max(200),
  computeCapability: z.string().max(20),
  multiprocessors: z.number().int().min(1).max(100_000),
  /** With one, both directions share it; with two or more, each has its own. */
  asyncEngineCount: z.number().int().min(0).max(64),
  memoryBytes: byteCount,
  l2Bytes: z
    .number()
    .int()
    .min(0)
    .max(2 ** 50),
  linkGeneration: z.number().nullable(),
  linkWidth: z.number().nullable(),
});

const profileSchema = z.strictObject({
  format: z.literal(profileFormat),
  version: z.literal(profileVersion),
  name: z.string().min(1).max(200),
  /** Where the numbers come from, in a sentence. */
  source,
  device: deviceSchema,
  copies: copiesSchema,
  staging: stagingSchema,
  calls: callsSchema,
  queue: queueSchema,
  kernel: kernelSchema,
  link: linkSchema,
  host: hostSchema,
});

export type DeviceProfile = z.infer<typeof profileSchema>;
export type CopyTimes = z.infer<typeof copySchema>;

/** Validates an unknown value as a profile. Throws a CopyscopeError `profile.invalid` naming the field. */
export function parseProfile(json: unknown): DeviceProfile {
  const result = profileSchema.safeParse(json);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const field = issue === undefined ? '' : fieldPath(issue.path);
  throw new CopyscopeError({
    code: 'profile.invalid',
    field: field === '' ? 'document' : field,
    message: `${issue?.message ?? 'not a device profile'}.`,
    remedy: 'Correct this field, or choose a profile that ships with Copyscope.',
  });
}

/** The table for a copy; null where the profile knows none. Every page-locked kind of host memory counts as pinned. */
export function copyTimes(profile: DeviceProfile, direction: CopyDirection, hostMemory: MemoryKind): CopyTimes | null {
  if (direction === 'd2d') return profile.copies.d2d;
  if (direction === 'h2h' || !isHostMemory(hostMemory)) return null;
  return profile.copies[direction][hostMemory === 'pageable' ? 'pageable' : 'pinned'];
}

/**
 * What a copy of this size attains when it runs alone: its bytes over its device time in the profile. `hostMemory` is
 * the kind on the host side, and has no meaning for device-to-device copies. Null where the profile doesn't say.
 */
export function attainableBandwidth(
  profile: DeviceProfile,
  direction: CopyDirection,
  hostMemory: MemoryKind,
  bytes: Bytes,
): BytesPerSecond | null {
  if (!(bytes > 0)) return null;
  if (direction === 'h2h') return bytesPerSecond(profile.host.memcpyBytesPerSecond);
  const times = copyTimes(profile, direction, hostMemory);
  return times === null ? null : bytesPerSecond((bytes / timeTable(times.device)(bytes)) * 1e9);
}
