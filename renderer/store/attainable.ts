/** What copies can reach on the machine of a run, where the host has a profile of that machine. */

import { attainableBandwidth } from '../../core/cost/attainable.ts';
import { profileCosts } from '../../core/cost/profileCosts.ts';
import { type DeviceProfile, parseProfile, profileOfDevice } from '../../core/profile/profile.ts';
import type { HostService, ProfileSummary } from '../../core/service/service.ts';
import type { SummaryOptions } from '../../core/summary/summary.ts';
import type { RunInfo } from '../../core/trace/run.ts';

const read = new Map<string, Promise<DeviceProfile | null>>();

/** What a summary is made with: what a copy attains, and how much a stream holds. Remedies are predicted apart. */
export const summaryOptions = (profile: DeviceProfile): SummaryOptions => ({
  attainable: (direction, memory, size) => attainableBandwidth(profileCosts(profile), direction, memory, size),
  queueDepth: profileCosts(profile).facts.queueDepth,
});

/** The same for a run; nothing where the host has no profile of its machine. */
export async function attainableFor(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<SummaryOptions> {
  const profile = await profileOf(info, profiles, host);
  return profile === null ? {} : summaryOptions(profile);
}

/** The profile of the machine that a run was made on, or simulated with; null where the host has none. */
export async function profileOf(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<DeviceProfile | null> {
  const known =
    info.engine === 'sim'
      ? profiles.find(({ name }) => name === info.profile)
      : profileOfDevice(profiles, info.device?.name, info.host);
  return known === undefined ? null : namedProfile(known.name, host);
}

/** The same, or else the first profile there is: what is predicted with it says its name. */
export async function predictingProfile(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<DeviceProfile | null> {
  const own = await profileOf(info, profiles, host);
  const [first] = profiles;
  return own ?? (first === undefined ? null : namedProfile(first.name, host));
}

function namedProfile(name: string, host: HostService): Promise<DeviceProfile | null> {
  const pending = read.get(name) ?? readProfile(host, name);
  read.set(name, pending);
  return pending;
}

/** A profile that can't be read costs the run its limit lines, and nothing else; it is asked for again next time. */
async function readProfile(host: HostService, name: string): Promise<DeviceProfile | null> {
  try {
    return parseProfile(await host.readProfile(name));
  } catch {
    read.delete(name);
    return null;
  }
}
