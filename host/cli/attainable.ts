/** Facts from a built-in profile of a run's machine: the maximum rates of copies, and the profile itself. */

import { describeError, toErrorInfo } from '../../core/errors.ts';
import type { AttainableBandwidth } from '../../core/explain/figures/operations.ts';
import { attainableBandwidth } from '../../core/machine/cost/attainable.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import { type DeviceProfile, parseProfile, profileOfRun } from '../../core/machine/profile/profile.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { Assets } from '../library/assets.ts';

/** Prints the reason if a profile can't be read. The run then only lacks these figures. */
export async function attainableFor(
  info: RunInfo,
  assets: Assets,
  say: (text: string) => void,
): Promise<{ attainable?: AttainableBandwidth; profile?: DeviceProfile }> {
  try {
    const profile = await profileOf(info, assets);
    if (profile === null) return {};
    return {
      attainable: (direction, memory, size) => attainableBandwidth(profileCosts(profile), direction, memory, size),
      profile,
    };
  } catch (error) {
    say(`Attainable bandwidths and remedies are left out. ${describeError(toErrorInfo(error))}`);
    return {};
  }
}

async function profileOf(info: RunInfo, assets: Assets): Promise<DeviceProfile | null> {
  const known = profileOfRun(info, await assets.profiles());
  return known === undefined ? null : parseProfile(await assets.readProfile(known.name));
}
