/** Looks for hazards beside the window, which goes on drawing. What repairs one is tried only where it is asked for. */
import '../../common/zodSetup.ts';
import { difference } from '../../../core/experiment/edit/difference.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { withEvidence } from '../../../core/hazards/evidence.ts';
import type { HazardReport } from '../../../core/hazards/hazard.ts';
import { hazardsOf, repairOf } from '../../../core/hazards/repair.ts';
import { lower } from '../../../core/program/lower.ts';
import { DocumentReceiver } from '../../common/sentDocument.ts';
import type { FindHazards, HazardAnswer, HazardRequest } from './hazardMessages.ts';

const documents = new DocumentReceiver();

self.addEventListener('message', ({ data: { ticket, document, question } }: MessageEvent<HazardRequest>) => {
  const experiment = documents.receive(document);
  self.postMessage(experiment === null ? { kind: 'stale', ticket } : answer(ticket, experiment, question));
});

const answer = (ticket: number, experiment: Experiment, question: HazardRequest['question']): HazardAnswer =>
  question.kind === 'find'
    ? { kind: 'found', ticket, report: orNull(() => find(experiment, question)) }
    : { kind: 'repaired', ticket, change: orNull(() => repairOf(experiment, question.hazard)) };

function orNull<Found>(look: () => Found): Found | null {
  try {
    return look();
  } catch {
    return null;
  }
}

function find(experiment: Experiment, { run }: FindHazards): HazardReport {
  const report = hazardsOf(experiment);
  const isSame = run !== null && difference(programOf(run.experiment), programOf(experiment)) === null;
  return isSame ? withEvidence(report, lower(experiment), run.verification) : report;
}

/** What decides the operations' numbers and what they do: not what it is called, nor how often all is repeated. */
function programOf({ name: _, description: __, environment, ...program }: Experiment): object {
  return { ...program, environment: { ...environment, iterations: 0, warmups: 0 } };
}
