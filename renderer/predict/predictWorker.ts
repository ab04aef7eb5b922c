/** Simulates the open experiment away from the window's thread, and indexes the result for its lanes. */
import '../zodSetup.ts';
import { summarizeRun } from '../../core/analysis/summary.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { lower } from '../../core/program/lower.ts';
import { simEngine } from '../../core/simulator/engine.ts';
import { attainableBandwidth } from '../../core/simulator/profile.ts';
import { bytes } from '../../core/units.ts';
import { indexIteration } from '../app/loading/iterationData.ts';
import type { PredictAnswer, PredictRequest } from './messages.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<PredictRequest>) => void) | null;
  postMessage(message: PredictAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

scope.onmessage = ({ data }) => {
  predict(data).catch((thrown: unknown) =>
    scope.postMessage({ kind: 'failed', ticket: data.ticket, error: toErrorInfo(thrown) }),
  );
};

async function predict({ ticket, experiment, profile, version }: PredictRequest): Promise<void> {
  const machine = { os: navigator.userAgent.slice(0, 200), cpu: '', cores: navigator.hardwareConcurrency };
  const engine = simEngine(async () => profile, { machine, version, pause: async () => {} });
  const run = await engine.run({ experiment, program: lower(experiment), profile: profile.name });
  const summary = summarizeRun(run, {
    attainable: (direction, memory, size) => attainableBandwidth(profile, direction, memory, bytes(size)),
    queueDepth: profile.queue.depth,
  });
  const iteration = indexIteration(run.trace, run.info.iterations.representative);
  scope.postMessage({ kind: 'predicted', ticket, run, iteration, summary });
}
