/** Looks for hazards beside the window, which goes on drawing: a large experiment takes a second or two. */
import '../zodSetup.ts';
import { withEvidence } from '../../core/analysis/hazards/evidence.ts';
import type { HazardReport } from '../../core/analysis/hazards/hazard.ts';
import { checkExperiment } from '../../core/analysis/hazards/repair.ts';
import { lower } from '../../core/program/lower.ts';
import type { HazardAnswer, HazardRequest } from './hazardMessages.ts';

self.addEventListener('message', ({ data }: MessageEvent<HazardRequest>) => {
  self.postMessage({ ticket: data.ticket, report: check(data) } satisfies HazardAnswer);
});

function check({ experiment, run }: HazardRequest): HazardReport | null {
  try {
    const report = checkExperiment(experiment);
    const isSame = run !== null && programOf(run.experiment) === programOf(experiment);
    return isSame ? withEvidence(report, lower(experiment), run.verification) : report;
  } catch {
    return null;
  }
}

/** What decides the operations' numbers and what they do; not the name, nor how often all is repeated. */
function programOf({ buffers, streams, events, threads }: HazardRequest['experiment']): string {
  return JSON.stringify({ buffers, streams, events, threads });
}
