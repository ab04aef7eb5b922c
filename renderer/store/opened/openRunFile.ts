/** The window's side of the worker that opens run files, one after another. */
import type { Run } from '../../../core/trace/run.ts';
import type { HostFile } from '../../common/session.ts';
import { CalledWorker } from '../../common/workerCalls.ts';
import type { IterationData } from './iterationData.ts';
import type { OpenCalls, RunAnalysis } from './loadedRun.ts';

export interface OpenedRun {
  readonly run: Run;
  readonly iteration: IterationData;
  /** Analysis of a large run, which comes after its lanes; null if the window makes it. */
  readonly analysis: Promise<RunAnalysis> | null;
}

const worker = new CalledWorker<OpenCalls>(
  () => new Worker(new URL('./runWorker.ts', import.meta.url), { type: 'module', name: 'runs' }),
  (why) => ({
    code: 'run.worker-ended',
    message: `The thread that opens runs ended: ${why}.`,
    remedy: 'Try again; a run this large may need more memory than there is.',
  }),
);

/** Rejects with a CopyscopeError `run-file.*` or `run.*`. */
export async function openRunFile(file: HostFile): Promise<OpenedRun> {
  const { ticket, ...opened } = await worker.calls.open(file);
  const analysis = ticket === null ? null : worker.calls.analysis(ticket);
  // The error reaches the code that awaits the analysis.
  analysis?.catch(() => {});
  return { ...opened, analysis };
}

/** Starts the worker ahead of the first run, when the window is idle. */
export const prepareToOpen = (): void => void worker.calls;
