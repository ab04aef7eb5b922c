/** What the window and the worker that puts verdicts to the test say to each other. */
import type { Remedy } from '../../../core/analysis/counterfactual/remedy.ts';
import type { Verdict } from '../../../core/analysis/verdicts/verdict.ts';
import type { RunProfile } from '../../../core/calibrate/fit/runProfile.ts';
import type { DeviceProfile } from '../../../core/simulator/profile.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { SentDocument } from '../../common/sentDocument.ts';

export interface RemedyRequest {
  readonly ticket: number;
  readonly document: SentDocument;
  readonly verdict: Verdict;
  /** Of the run's machine, or where that is not known, any. */
  readonly profile: DeviceProfile;
  /** What tells more of the machine; null where the profile has it already, or it tells nothing. Without its experiment, which is the document. */
  readonly run: Run | null;
}

export interface RemedyAnswer {
  readonly ticket: number;
  /** Null where the experiment can't be simulated, or takes too long for it. */
  readonly remedy: Remedy | null;
  /** What it was predicted with; null where no run was given. */
  readonly machine: RunProfile | null;
}
