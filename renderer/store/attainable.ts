/** Rates that copies can reach on the machine of a run, if the host has a profile of it. */

import type { SummaryOptions } from '../../core/explain/summary/summary.ts';
import { attainableBandwidth } from '../../core/machine/cost/attainable.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import { type DeviceProfile, profileOfRun } from '../../core/machine/profile/profile.ts';
import type { HostService, ProfileSummary } from '../../core/service/service.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { readProfile } from './engines.ts';

/** Returns options of a summary: attainable rates of copies, and the queue depth. Remedies are predicted apart. */
export const summaryOptions = (profile: DeviceProfile): SummaryOptions => ({
  attainable: (direction, memory, size) => attainableBandwidth(profileCosts(profile), direction, memory, size),
  queueDepth: profileCosts(profile).facts.queueDepth,
});

/** Returns the options for a run; empty without a readable profile of its machine, so that limit lines are missing. */
export async function attainableFor(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<SummaryOptions> {
  const profile = await profileOf(info, profiles, host);
  return profile === null ? {} : summaryOptions(profile);
}

/** Returns the profile of the machine that a run was made on or simulated with, or null if the host has none. */
export async function profileOf(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<DeviceProfile | null> {
  const known = profileOfRun(info, profiles);
  return known === undefined ? null : readProfile(known.name, () => host);
}

/** Returns that profile, or else the first one. Predictions made with it say its name. */
export async function predictingProfile(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<DeviceProfile | null> {
  const own = await profileOf(info, profiles, host);
  const [first] = profiles;
  return own ?? (first === undefined ? null : readProfile(first.name, () => host));
}
