/**
 * Simulates the open experiment away from the window's thread, where that would hold the window up, and sums up what was
 * simulated.
 */
import '../zodSetup.ts';
import { summarizeRun } from '../../core/analysis/summary.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import type { DeviceProfile } from '../../core/simulator/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import { summaryOptions } from '../app/attainable.ts';
import type { PredictAnswer, PredictRequest } from './messages.ts';
import { predict } from './predict.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PredictRequest>) => void) | null;
  postMessage(message: PredictAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

let profile: DeviceProfile | null = null;
let newest = -1;
/** What the last summary took. The next one waits as long, so that quick edits don't wait for it. */
let summaryMs = 0;

scope.onmessage = ({ data }) => {
  newest = data.ticket;
  profile = data.profile ?? profile;
  try {
    answer(data);
  } catch (thrown) {
    scope.postMessage({ kind: 'failed', ticket: data.ticket, error: toErrorInfo(thrown) });
  }
};

function answer({ ticket, experiment, version, hasLanes }: PredictRequest): void {
  const used = profile;
  if (used === null) throw new CopyscopeError({ code: 'profile.missing', message: 'No device profile came.' });
  const { run, iteration, counters } = predict(experiment, used, version);
  const { experiment: _, ...info } = run.info;
  if (!hasLanes) scope.postMessage({ kind: 'predicted', ticket, info, trace: run.trace, iteration, counters });
  setTimeout(() => {
    if (newest === ticket) scope.postMessage({ kind: 'summarized', ticket, summary: summarized(run, used) });
  }, summaryMs);
}

function summarized(run: Run, used: DeviceProfile) {
  const begin = performance.now();
  const summary = summarizeRun(run, summaryOptions(used));
  summaryMs = performance.now() - begin;
  return summary;
}
