/** What copies can reach on the machine of a run, where the host has a profile of that machine. */
import type { SummaryOptions } from '../../core/analysis/summary.ts';
import type { HostService, ProfileSummary } from '../../core/service/service.ts';
import { attainableBandwidth, type DeviceProfile, parseProfile } from '../../core/simulator/profile.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import { bytes } from '../../core/units.ts';

const read = new Map<string, Promise<DeviceProfile | null>>();

export async function attainableFor(
  info: RunInfo,
  profiles: readonly ProfileSummary[],
  host: HostService,
): Promise<SummaryOptions> {
  const known = profiles.find(({ name, device }) =>
    info.engine === 'sim' ? name === info.profile : device === info.device?.name,
  );
  if (known === undefined) return {};
  const pending = read.get(known.name) ?? readProfile(host, known.name);
  read.set(known.name, pending);
  const profile = await pending;
  if (profile === null) return {};
  return { attainable: (direction, memory, size) => attainableBandwidth(profile, direction, memory, bytes(size)) };
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
