/** Device profiles, each read once until the host says that they have changed. */
import { type DeviceProfile, parseProfile } from '../../core/profile/profile.ts';
import type { HostService } from '../../core/service/service.ts';

let reads = new Map<string, Promise<DeviceProfile | null>>();
let known = new Map<string, DeviceProfile>();

type Host = Pick<HostService, 'readProfile'>;

/** Resolves with null if it can't be read, and reads it again next time. `host` may throw if there is no connection. */
export function readProfile(name: string, host: () => Host): Promise<DeviceProfile | null> {
  const pending = reads.get(name) ?? ask(name, host);
  reads.set(name, pending);
  return pending;
}

/** Returns a profile that was read. */
export const knownProfile = (name: string): DeviceProfile | undefined => known.get(name);

/** Forgets all profiles, since they may have changed. Pending reads return the old ones. */
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
