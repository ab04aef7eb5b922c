/**
 * A device profile: what the simulator knows of one machine. Every section names where its numbers come from. Times
 * are nanoseconds, rates bytes per second. Tables hold measured points; table.ts says what lies between them.
 */
import type { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { type CopyDirection, isHostMemory, type MemoryKind } from '../trace/trace.ts';
import { type Bytes, type BytesPerSecond, bytesPerSecond } from '../units.ts';
import { hostCopyNs } from './memcpyRate.ts';
import { type copySchema, profileSchema } from './profileSchema.ts';
import { type TimeTable, timeTable } from './table.ts';

export type DeviceProfile = z.infer<typeof profileSchema>;
export type CopyTimes = z.infer<typeof copySchema>;

/** Validates an unknown value as a profile. Throws a CopyscopeError `profile.invalid` naming the field. */
export function parseProfile(json: unknown): DeviceProfile {
  const shape = checkShape(profileSchema, json);
  if (shape.ok) return shape.value;
  const [{ field, message, remedy }] = shape.problems;
  throw new CopyscopeError({
    code: 'profile.invalid',
    field,
    message,
    remedy: `${remedy} Or choose a profile that ships with Copyscope.`,
  });
}

/** What is added to a device's name wherever a profile that nobody measured is chosen, or a run is made with it. */
const notMeasured = ' (published figures, not measured)';

/** The device's name as it is shown. */
export const profileDeviceName = ({ basis, device }: DeviceProfile): string =>
  basis === 'published' ? `${device.name}${notMeasured}` : device.name;

export const isUnmeasuredDevice = (name: string): boolean => name.endsWith(notMeasured);

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
  if (direction === 'h2h') return bytesPerSecond((bytes / hostCopyNs(profile, bytes)) * 1e9);
  const times = copyTimes(profile, direction, hostMemory);
  return times === null ? null : bytesPerSecond((bytes / deviceTable(times)(bytes)) * 1e9);
}

/** Each copy of a long run asks for one of them. */
const deviceTables = new WeakMap<CopyTimes, TimeTable>();

function deviceTable(times: CopyTimes): TimeTable {
  const known = deviceTables.get(times) ?? timeTable(times.device);
  deviceTables.set(times, known);
  return known;
}
