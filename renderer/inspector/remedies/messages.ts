/** What the window and the worker that puts verdicts to the test say to each other. */
import type { Remedy } from '../../../core/analysis/counterfactual/remedy.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';

export interface RemedyRequest {
  readonly ticket: number;
  readonly experiment: Experiment;
  readonly verdict: Verdict;
  readonly profile: DeviceProfile;
}

export interface RemedyAnswer {
  readonly ticket: number;
  /** Null where the experiment can't be simulated, or takes too long for it. */
  readonly remedy: Remedy | null;
}
