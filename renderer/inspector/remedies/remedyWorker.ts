/** Puts verdicts to the test beside the window: each takes a few simulations. */
import '../../zodSetup.ts';
import { remediesFor } from '../../../core/analysis/counterfactual/remedies.ts';
import { profileOfRun } from '../../../core/calibrate/fit/runProfile.ts';
import type { RemedyAnswer, RemedyRequest } from './messages.ts';

self.addEventListener('message', ({ data }: MessageEvent<RemedyRequest>) => {
  const { ticket, experiment, verdict, profile, run } = data;
  const machine = run === null ? null : profileOfRun(run, profile);
  const [remedy = null] = remediesFor(experiment, [verdict], machine?.profile ?? profile);
  self.postMessage({ ticket, remedy, machine } satisfies RemedyAnswer);
});
