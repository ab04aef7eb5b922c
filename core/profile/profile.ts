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
export const profileDeviceName = ({ basis, device }: DeviceProfile): string =>
  basis === 'published' ? `${device.name}${notMeasured}` : device.name;

export const isUnmeasuredDevice = (name: string): boolean => name.endsWith(notMeasured);
