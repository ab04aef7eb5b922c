/** Device profiles, each read once until the host says that they have changed. */
import { type DeviceProfile, parseProfile } from '../../core/profile/profile.ts';
import type { HostService } from '../../core/service/service.ts';

let reads = new Map<string, Promise<DeviceProfile | null>>();
let known = new Map<string, DeviceProfile>();

type Host = Pick<HostService, 'readProfile'>;

/** Null where it can't be read: it is asked for again next time. `host` may throw where there is none. */
export function readProfile(name: string, host: () => Host): Promise<DeviceProfile | null> {
  const pending = reads.get(name) ?? ask(name, host);
  reads.set(name, pending);
  return pending;
}

/** One that was read. */
export const knownProfile = (name: string): DeviceProfile | undefined => known.get(name);

/** They may hold something else now. What is still on its way is as they were. */
export function forgetProfiles(): void {
  [reads, known] = [new Map(), new Map()];
}

async function ask(name: string, host: () => Host): Promise<DeviceProfile | null> {
  const [asked, answered] = [reads, known];
  try {
    const profile = parseProfile(await host().readProfile(name));
    answered.set(name, profile);
    return profile;
  } catch {
    asked.delete(name);
    return null;
  }
}
