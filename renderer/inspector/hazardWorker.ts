/** Looks for hazards beside the window, which goes on drawing. What repairs one is tried only where it is asked for. */
import '../zodSetup.ts';
import { withEvidence } from '../../core/analysis/hazards/evidence.ts';
import type { HazardReport } from '../../core/analysis/hazards/hazard.ts';
import { hazardsOf, repairOf } from '../../core/analysis/hazards/repair.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { lower } from '../../core/program/lower.ts';
import type { FindHazards, HazardAnswer, HazardRequest } from './hazardMessages.ts';

let present: Experiment | null = null;

self.addEventListener('message', ({ data }: MessageEvent<HazardRequest>) => {
  const { ticket, question } = data;
  present = data.experiment ?? present;
  const experiment = present;
  const answer: HazardAnswer =
    question.kind === 'find'
      ? { kind: 'found', ticket, report: orNull(experiment, (known) => find(known, question)) }
      : { kind: 'repaired', ticket, change: orNull(experiment, (known) => repairOf(known, question.hazard)) };
  self.postMessage(answer);
});

function orNull<Found>(experiment: Experiment | null, look: (experiment: Experiment) => Found): Found | null {
  try {
    return experiment === null ? null : look(experiment);
  } catch {
    return null;
  }
}

function find(experiment: Experiment, { run }: FindHazards): HazardReport {
  const report = hazardsOf(experiment);
  const isSame = run !== null && programOf(run.experiment) === programOf(experiment);
  return isSame ? withEvidence(report, lower(experiment), run.verification) : report;
}

/** What decides the operations' numbers and what they do; not the name, nor how often all is repeated. */
function programOf({ buffers, streams, events, threads }: Experiment): string {
  return JSON.stringify({ buffers, streams, events, threads });
}
