/**
 * Simulates the open experiment away from the window's thread, where that would hold the window up, and sums up what was
 * simulated. A request gives up what is under way for the one before.
 */
import '../zodSetup.ts';
import { summarizeInSteps } from '../../core/analysis/summary.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { DeviceProfile } from '../../core/simulator/profile.ts';
import type { SimulationProgress } from '../../core/simulator/simulate.ts';
import { summaryOptions } from '../app/attainable.ts';
import { windowSummary } from '../app/windowSummary.ts';
import { inTurns } from '../common/inTurns.ts';
import { DocumentReceiver } from '../common/sentDocument.ts';
import type { PredictAnswer, PredictRequest } from './messages.ts';
import { predictInSteps } from './predict.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PredictRequest>) => void) | null;
  postMessage(message: PredictAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

const documents = new DocumentReceiver();
let profile: DeviceProfile | null = null;
let newest = -1;
/** The window takes some ten milliseconds to read so many. */
const verdictsAtOnce = 2000;
/** What the last summary took. The next one waits as long, so that quick edits don't wait for it. */
let summaryMs = 0;

scope.onmessage = ({ data }) => {
  const { ticket } = data;
  newest = ticket;
  profile = data.profile ?? profile;
  const experiment = documents.receive(data.document);
  if (experiment === null) scope.postMessage({ kind: 'stale', ticket });
  else {
    answer(data, experiment).catch((thrown: unknown) =>
      scope.postMessage({ kind: 'failed', ticket, error: toErrorInfo(thrown) }),
    );
  }
};

const progressMs = 100;

/** Tells the window how far a prediction is, so often that a bar moves. */
function teller(ticket: number): (progress: SimulationProgress | undefined) => void {
  let told = performance.now();
  return (progress) => {
    if (progress === undefined || performance.now() - told < progressMs) return;
    told = performance.now();
    scope.postMessage({ kind: 'progress', ticket, ...progress });
  };
}

async function answer({ ticket, version, hasLanes }: PredictRequest, experiment: Experiment): Promise<void> {
  const used = profile;
  if (used === null) throw new CopyscopeError({ code: 'profile.missing', message: 'No device profile came.' });
  const isNewest = (): boolean => newest === ticket;
  const made = await inTurns(predictInSteps(experiment, used, version), isNewest, teller(ticket));
  if (made === null) return;
  const { run, iteration, counters } = made;
  const { experiment: _, ...info } = run.info;
  if (!hasLanes) scope.postMessage({ kind: 'predicted', ticket, info, trace: run.trace, iteration, counters });
  await new Promise((resolve) => setTimeout(resolve, summaryMs));
  if (!isNewest()) return;
  const begin = performance.now();
  const summary = await inTurns(summarizeInSteps(run, summaryOptions(used)), isNewest);
  if (summary === null) return;
  summaryMs = performance.now() - begin;
  const whole = windowSummary(summary);
  const last = Math.max(0, whole.verdicts.length - verdictsAtOnce);
  for (let from = 0; from < last; from += verdictsAtOnce) {
    const verdicts = whole.verdicts.slice(from, Math.min(from + verdictsAtOnce, last));
    scope.postMessage({ kind: 'verdicts', ticket, verdicts });
  }
  scope.postMessage({ kind: 'summarized', ticket, summary: { ...whole, verdicts: whole.verdicts.slice(last) } });
}
