/** Puts verdicts to the test beside the window: each takes a few simulations. */
import '../../zodSetup.ts';
import { remediesFor } from '../../../core/analysis/counterfactual/remedies.ts';
import type { RemedyAnswer, RemedyRequest } from './messages.ts';

self.addEventListener('message', ({ data }: MessageEvent<RemedyRequest>) => {
  const { ticket, experiment, verdict, profile } = data;
  const [remedy = null] = remediesFor(experiment, [verdict], profile);
  self.postMessage({ ticket, remedy } satisfies RemedyAnswer);
});
