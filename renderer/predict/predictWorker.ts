/** Simulates the open experiment away from the window's thread, and indexes the result for its lanes. */
import '../zodSetup.ts';
import { laneCounters } from '../../core/analysis/laneCounters.ts';
import { summarizeRun } from '../../core/analysis/summary.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { lower } from '../../core/program/lower.ts';
import { simEngine } from '../../core/simulator/engine.ts';
import type { DeviceProfile } from '../../core/simulator/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import { summaryOptions } from '../app/attainable.ts';
import { indexIteration } from '../app/loading/iterationData.ts';
import type { PredictAnswer, PredictRequest } from './messages.ts';

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
  predict(data).catch((thrown: unknown) =>
    scope.postMessage({ kind: 'failed', ticket: data.ticket, error: toErrorInfo(thrown) }),
  );
};

async function predict({ ticket, experiment, version }: PredictRequest): Promise<void> {
  const used = profile;
  if (used === null) throw new CopyscopeError({ code: 'profile.missing', message: 'No device profile came.' });
  const engine = simEngine(async () => used, { machine: null, version, pause: async () => {} });
  const run = await engine.run({ experiment, program: lower(experiment), profile: used.name });
  const { experiment: _, ...info } = run.info;
  const { representative } = run.info.iterations;
  const iteration = indexIteration(run.trace, representative);
  const counters = laneCounters(run, representative);
  scope.postMessage({ kind: 'predicted', ticket, info, trace: run.trace, iteration, counters });
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
