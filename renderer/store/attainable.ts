/** What copies can reach on the machine of a run, where the host has a profile of that machine. */

import { attainableBandwidth } from '../../core/cost/attainable.ts';
import { profileCosts } from '../../core/cost/profileCosts.ts';
import { type DeviceProfile, profileOfDevice } from '../../core/profile/profile.ts';
import type { HostService, ProfileSummary } from '../../core/service/service.ts';
import type { SummaryOptions } from '../../core/summary/summary.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { readProfile } from './profiles.ts';

/** What a summary is made with: what a copy attains, and how much a stream holds. Remedies are predicted apart. */
export const summaryOptions = (profile: DeviceProfile): SummaryOptions => ({
  attainable: (direction, memory, size) => attainableBandwidth(profileCosts(profile), direction, memory, size),
  queueDepth: profileCosts(profile).facts.queueDepth,
});

/** The same for a run; nothing where the host has no profile of its machine that can be read: that costs it its limit lines. */
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
  return known === undefined ? null : readProfile(known.name, () => host);
}

/** The same, or else the first profile there is: what is predicted with it says its name. */
export async function predictingProfile(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<DeviceProfile | null> {
  const own = await profileOf(info, profiles, host);
  const [first] = profiles;
  return own ?? (first === undefined ? null : readProfile(first.name, () => host));
}
