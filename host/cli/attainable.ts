/** What a copy of a size can reach at best on the machine of a run, where a shipped profile knows that machine. */
import type { AttainableBandwidth } from '../../core/analysis/operations.ts';
import { attainableBandwidth, parseProfile } from '../../core/simulator/profile.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { bytes } from '../../core/units.ts';
import type { Assets } from '../service/assets.ts';

export async function attainableFor(info: RunInfo, assets: Assets): Promise<{ attainable?: AttainableBandwidth }> {
  const profiles = await assets.profiles();
  const known = profiles.find(({ name, device }) =>
    info.engine === 'sim' ? name === info.profile : device === info.device?.name,
  );
  if (known === undefined) return {};
  const profile = parseProfile(await assets.readProfile(known.name));
  return { attainable: (direction, memory, size) => attainableBandwidth(profile, direction, memory, bytes(size)) };
}
