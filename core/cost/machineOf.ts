/** A machine that predictions are made of: what things take on it, and how far it may be from that. */
import type { CostModel } from '../machine/costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import type { DeviceInfo } from '../program/engine.ts';
import { recordingCosts } from './profileCosts.ts';
import { type Shown, shownCosts } from './runCosts.ts';
import { profileDevice } from './simEngine.ts';
import { machinesAround, type Surroundings } from './spread.ts';

export interface Machine {
  readonly costs: CostModel;
  /** As engines report theirs. */
  readonly device: DeviceInfo;
  /** Null where nobody has measured how far the profile is off. */
  readonly around: Surroundings | null;
}

/** The machine of a profile, and where a run has shown some of it, of that run. */
export function machineOf(profile: DeviceProfile, shown: Shown = new Map()): Machine {
  const costsOf = shownCosts(shown);
  const around = machinesAround(profile, costsOf);
  return { costs: costsOf(profile, profile), device: profileDevice(profile), around };
}

/** The same while it is recorded. */
export const recordingMachineOf = (profile: DeviceProfile): Machine => ({
  costs: recordingCosts(profile),
  device: profileDevice(profile),
  around: machinesAround(profile, recordingCosts),
});
