/** The machine that a prediction assumes: its costs, and how far a real machine may differ. */

import type { DeviceInfo } from '../../trace/run.ts';
import type { CostModel } from '../costModel.ts';
import type { DeviceProfile } from '../profile/profile.ts';
import { recordingCosts } from './profileCosts.ts';
import { type Shown, shownCosts } from './runCosts.ts';
import { profileDevice } from './simEngine.ts';
import { machinesAround, type SimilarMachines } from './spread.ts';

export interface Machine {
  readonly costs: CostModel;
  /** In the form that engines report. */
  readonly device: DeviceInfo;
  /** Null if nobody has measured how far the profile is off. */
  readonly around: SimilarMachines | null;
}

/** Returns the machine of a profile, adjusted to what a run has shown. */
export function machineOf(profile: DeviceProfile, shown: Shown = new Map()): Machine {
  const costsOf = shownCosts(shown);
  const around = machinesAround(profile, costsOf);
  return { costs: costsOf(profile, profile), device: profileDevice(profile), around };
}

/** Returns the machine of a profile with the cost of recording. */
export const recordingMachineOf = (profile: DeviceProfile): Machine => ({
  costs: recordingCosts(profile),
  device: profileDevice(profile),
  around: machinesAround(profile, recordingCosts),
});
