/** A device profile: what is known of one machine (registry.ts). Only core/cost and core/calibrate read its parameters. */
import type { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { profileFormat, profileSchema } from './schema.ts';
import { upgraded } from './upgrade.ts';

export type DeviceProfile = z.infer<typeof profileSchema>;

/**
 * Validates an unknown value as a profile; one of version 1 is upgraded, and `say` hears what of it is left out. Throws a
 * CopyscopeError `profile.invalid` naming the field.
 */
export function parseProfile(json: unknown, say: (message: string) => void = () => {}): DeviceProfile {
  const shape = checkShape(profileSchema, current(json, say));
  if (shape.ok) return shape.value;
  const [{ field, message, remedy }] = shape.problems;
  throw new CopyscopeError({
    code: 'profile.invalid',
    field,
    message,
    remedy: `${remedy} Or choose a profile that ships with Copyscope.`,
  });
}

function current(json: unknown, say: (message: string) => void): unknown {
  const isFormer =
    typeof json === 'object' && json !== null && 'version' in json && json.version === 1 && 'format' in json;
  if (!isFormer || json.format !== profileFormat) return json;
  const { profile, dropped } = upgraded({ ...json });
  if (dropped.length > 0) {
    const some = dropped.slice(0, 5).join(', ');
    const more = dropped.length > 5 ? `, and ${dropped.length - 5} more` : '';
    say(`Profile "${String(profile['name'])}" is of version 1. Predictions no longer use ${some}${more}.`);
  }
  return profile;
}

/** What is added to a device's name wherever a profile that nobody measured is chosen, or a run is made with it. */
const notMeasured = ' (published figures, not measured)';

/** The device's name as it is shown. */
export const profileDeviceName = ({ basis, device, host }: DeviceProfile): string =>
  basis === 'published' ? `${device.name}${notMeasured}` : deviceOf(device.name, host);

/** What a run says of its device that is simulated with this profile. */
export const simulatedDevice = (json: unknown): string => profileDeviceName(parseProfile(json));

/** 'NVIDIA H200', or 'NVIDIA H200 of gpu-box' where it is that of another machine. */
export const deviceOf = (device: string, host: string | undefined): string =>
  host === undefined || device.endsWith(` of ${host}`) ? device : `${device} of ${host}`;

/** What is known of a profile without reading it: its device as it is shown, and the other machine that it was measured on. */
interface KnownProfile {
  readonly device: string;
  readonly host?: string | undefined;
}

/** The profile for a device: of that very machine where there is one, else of such a device here or anywhere. */
export function profileOfDevice<Known extends KnownProfile>(
  profiles: readonly Known[],
  device: string | undefined,
  host: string | undefined,
): Known | undefined {
  if (device === undefined) return undefined;
  const alike = profiles.filter((profile) => profile.device === deviceOf(device, profile.host));
  return (
    alike.find((profile) => profile.host === host) ?? alike.find((profile) => profile.host === undefined) ?? alike[0]
  );
}

export const isUnmeasuredDevice = (name: string): boolean => name.endsWith(notMeasured);
