/** Puts verdicts to the test beside the window: each takes a few simulations. */
import '../../zodSetup.ts';
import { remediesFor } from '../../../core/analysis/counterfactual/remedies.ts';
import { profileOfRun } from '../../../core/calibrate/fit/runProfile.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { DocumentReceiver, type Stale } from '../../common/sentDocument.ts';
import type { RemedyAnswer, RemedyRequest } from './messages.ts';

const documents = new DocumentReceiver();

self.addEventListener('message', ({ data }: MessageEvent<RemedyRequest>) => {
  const experiment = documents.receive(data.document);
  const { ticket } = data;
  self.postMessage(experiment === null ? ({ kind: 'stale', ticket } satisfies Stale) : answer(data, experiment));
});

function answer({ ticket, verdict, profile, run }: RemedyRequest, experiment: Experiment): RemedyAnswer {
  const machine = run === null ? null : profileOfRun({ ...run, info: { ...run.info, experiment } }, profile);
  const [remedy = null] = remediesFor(experiment, [verdict], machine?.profile ?? profile);
  return { ticket, remedy, machine };
}
