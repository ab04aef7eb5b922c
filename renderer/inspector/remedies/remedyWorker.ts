/** Puts verdicts to the test beside the window: each takes a few simulations. */
import '../../common/zodSetup.ts';
import { machineOf } from '../../../core/cost/machineOf.ts';
import { shownBy } from '../../../core/cost/runCosts.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { remediesFor } from '../../../core/remedies/remedies.ts';
import { DocumentReceiver, type Stale } from '../../common/sentDocument.ts';
import type { RemedyAnswer, RemedyRequest } from './messages.ts';

const documents = new DocumentReceiver();

self.addEventListener('message', ({ data }: MessageEvent<RemedyRequest>) => {
  const experiment = documents.receive(data.document);
  const { ticket } = data;
  self.postMessage(experiment === null ? ({ kind: 'stale', ticket } satisfies Stale) : answer(data, experiment));
});

function answer({ ticket, verdict, profile, shown, run }: RemedyRequest, experiment: Experiment): RemedyAnswer {
  const read = run === null ? null : shownBy({ ...run, info: { ...run.info, experiment } }, profile);
  const machine = machineOf(profile, read ?? shown ?? new Map());
  const [remedy = null] = remediesFor(experiment, [verdict], machine);
  return { ticket, remedy, shown: read };
}
