/** What the window and the worker that puts verdicts to the test say to each other. */

import type { Shown } from '../../../core/cost/runCosts.ts';
import type { DeviceProfile } from '../../../core/profile/profile.ts';
import type { Remedy } from '../../../core/remedies/remedy.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { Verdict } from '../../../core/verdicts/verdict.ts';
import type { SentDocument } from '../../common/sentDocument.ts';

export interface RemedyRequest {
  readonly ticket: number;
  readonly document: SentDocument;
  readonly verdict: Verdict;
  /** Of the run's machine, or where that is not known, any. */
  readonly profile: DeviceProfile;
  /** What the run has shown of its machine; null where nothing has been read of it. */
  readonly shown: Shown | null;
  /** What shows more of the machine; null where `shown` has it already, or it tells nothing. Without its experiment, which is the document. */
  readonly run: Run | null;
}

export interface RemedyAnswer {
  readonly ticket: number;
  /** Null where the experiment can't be simulated, or takes too long for it. */
  readonly remedy: Remedy | null;
  /** What was read of the run that was given; null where none was. */
  readonly shown: Shown | null;
}
