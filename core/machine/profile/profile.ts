/** Device profile: parameters of one machine (registry.ts). Only core/machine/cost and core/apps/calibrate read them. */
import type { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { checkShape } from '../../shape/checkShape.ts';
import type { RunInfo } from '../../trace/run.ts';
import { profileFormat, profileSchema } from './schema.ts';
import { upgraded } from './upgrade.ts';

export type DeviceProfile = z.infer<typeof profileSchema>;

/** Validates an unknown value as a profile, after an upgrade from version 1. Throws `profile.invalid` with the field. */
export function parseProfile(json: unknown): DeviceProfile {
  const shape = checkShape(profileSchema, current(json));
  if (shape.ok) return shape.value;
  const [{ field, message, remedy }] = shape.problems;
  throw new CopyscopeError({
    code: 'profile.invalid',
    field,
    message,
    remedy: `${remedy} Or choose a profile that ships with Copyscope.`,
  });
}

function current(json: unknown): unknown {
  const isFormer =
    typeof json === 'object' && json !== null && 'version' in json && json.version === 1 && 'format' in json;
  return isFormer && json.format === profileFormat ? upgraded({ ...json }) : json;
}

/** Suffix of the device's name for a profile that wasn't measured. */
const notMeasured = ' (published figures, not measured)';

/** Returns the displayed name of a profile's device. */
export const profileDeviceName = ({ basis, device, host }: DeviceProfile): string =>
  basis === 'published' ? `${device.name}${notMeasured}` : deviceOf(device.name, host);

/** Returns the device name of runs that are simulated with this profile. */
export const simulatedDevice = (json: unknown): string => profileDeviceName(parseProfile(json));

/** Returns 'NVIDIA H200', or 'NVIDIA H200 of gpu-box' for a remote host. */
export const deviceOf = (device: string, host: string | undefined): string =>
  host === undefined || device.endsWith(` of ${host}`) ? device : `${device} of ${host}`;

/** Facts about a profile, without reading it: its displayed device, and the remote host it was measured on. */
interface KnownProfile {
  readonly device: string;
  readonly host?: string | undefined;
}

/** Returns the profile for a device: one of this host if there is one, else of the same device here or anywhere. */
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

/** Returns the profile of the machine that a run was made on or simulated with. */
export const profileOfRun = <Known extends KnownProfile & { readonly name: string }>(
  { engine, profile, device, host }: RunInfo,
  profiles: readonly Known[],
): Known | undefined =>
  engine === 'sim' ? profiles.find(({ name }) => name === profile) : profileOfDevice(profiles, device?.name, host);

export const isUnmeasuredDevice = (name: string): boolean => name.endsWith(notMeasured);
