/** The window's side of the worker that opens run files, one after another. */
import type { Run } from '../../../core/trace/run.ts';
import type { HostFile } from '../../common/session.ts';
import { CalledWorker } from '../../common/workerCalls.ts';
import type { IterationData } from './iterationData.ts';
import type { KnownOfRun, OpenCalls, OpenEvents, RunAnalysis } from './loadedRun.ts';

export interface OpenedRun {
  readonly run: Run;
  readonly iteration: IterationData;
  /** Analysis of a large run, which comes after its lanes; null if the window makes it. */
  readonly analysis: Promise<RunAnalysis> | null;
  readonly verdictOf: KnownOfRun['verdictOf'];
}

/** Listeners to the progress of an analysis, by ticket. */
const awaiting = new Map<number, (share: number) => void>();
const events: OpenEvents = { judged: (ticket, share) => awaiting.get(ticket)?.(share) };

const worker = new CalledWorker<OpenCalls>(
  () => new Worker(new URL('./runWorker.ts', import.meta.url), { type: 'module', name: 'runs' }),
  (why) => ({
    code: 'run.worker-ended',
    message: `The thread that opens runs ended: ${why}.`,
    remedy: 'Try again; a run this large may need more memory than there is.',
  }),
  events,
);

/**
 * Rejects with a CopyscopeError `run-file.*` or `run.*`. `onJudged` gets the share of a large run's copies that is judged.
 */
export async function openRunFile(file: HostFile, onJudged: (share: number) => void): Promise<OpenedRun> {
  const { ticket, ...opened } = await worker.calls.open(file);
  if (ticket === null) return { ...opened, analysis: null, verdictOf: undefined };
  awaiting.set(ticket, onJudged);
  const analysis = worker.calls.analysis(ticket).finally(() => awaiting.delete(ticket));
  // The error reaches the code that awaits the analysis.
  analysis.catch(() => {});
  return { ...opened, analysis, verdictOf: async (row) => worker.calls.verdict(ticket, row) };
}

/** Starts the worker ahead of the first run, when the window is idle. */
export const prepareToOpen = (): void => void worker.calls;
