/**
 * Simulates the open experiment away from the window's thread, where that would hold the window up, and sums up what was
 * simulated. A request gives up what is under way for the one before.
 */
import '../common/zodSetup.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import { lowerToSimulate } from '../../core/program/lower.ts';
import { predictedIntervals } from '../../core/summary/predictedIntervals.ts';
import { summarizeInSteps } from '../../core/summary/summary.ts';
import type { Run } from '../../core/trace/run.ts';
import { inTurns } from '../common/inTurns.ts';
import { DocumentReceiver } from '../common/sentDocument.ts';
import { summaryOptions } from '../store/attainable.ts';
import { windowSummary } from '../store/opened/windowSummary.ts';
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

/** The run, of which the window has the lanes by now; null where a newer request has come. */
async function simulated(
  { ticket, version }: PredictRequest,
  experiment: Experiment,
  used: DeviceProfile,
): Promise<Run | null> {
  const made = await inTurns(predictInSteps(experiment, used, version), () => newest === ticket, teller(ticket));
  if (made === null) return null;
  const { run, iteration, counters } = made;
  const { experiment: _, ...info } = run.info;
  scope.postMessage({ kind: 'predicted', ticket, info, trace: run.trace, iteration, counters });
  return run;
}

async function answer(request: PredictRequest, experiment: Experiment): Promise<void> {
  const { ticket, lanes } = request;
  const used = profile;
  if (used === null) throw new CopyscopeError({ code: 'profile.missing', message: 'No device profile came.' });
  const isNewest = (): boolean => newest === ticket;
  const run =
    lanes === null
      ? await simulated(request, experiment, used)
      : { info: { ...lanes.info, experiment }, trace: lanes.trace };
  if (run === null) return;
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
  const intervals = await inTurns(predictedIntervals(run, lowerToSimulate(experiment), used), isNewest);
  if (intervals !== null) scope.postMessage({ kind: 'intervals', ticket, intervals });
}
