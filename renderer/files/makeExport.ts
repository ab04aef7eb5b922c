/** Makes files in a worker, with progress. A cancelled export leaves nothing behind. */
import type { ErrorInfo } from '../../core/errors.ts';
import { type ExportFormat, exportWords } from '../../core/export/formats.ts';
import { saveBlob } from '../common/files.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { attempt } from '../store/host.ts';
import { announce } from '../store/notify.ts';
import { fileOfRun } from '../store/runs.ts';
import { isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { state } from '../store/store.ts';
import type { ExportCalls, ExportEvents, ExportRequest, MadeFile, RunSource } from './exportMessages.ts';
import { startTransfer } from './Transfers.tsx';

/** Exports runs in the formats of other viewers and data tools. */
export const exportKeptRun = (id: string, format: ExportFormat): Promise<void> =>
  exportSource(() => fileOfRun(id), format);

/** Exports what the timeline shows: a run, or a prediction, which only this window has. */
export async function exportShownRun(format: ExportFormat): Promise<void> {
  const shown = loadedRun(state(), shownRunId(state()));
  if (shown === null) return;
  await (isPrediction(shown.id) ? exportSource(async () => shown.run, format) : exportKeptRun(shown.id, format));
}

const exportSource = (source: () => Promise<RunSource>, format: ExportFormat): Promise<void> =>
  makeAndSave({
    title: `Exporting ${exportWords[format].purpose}`,
    problem: 'The run could not be exported',
    request: async () => ({ kind: 'run', source: await source(), format }),
  });

export interface ExportTask {
  /** Title of the transfer, such as 'Exporting for Perfetto'. */
  readonly title: string;
  /** Title of an error, such as 'The run could not be exported'. */
  readonly problem: string;
  /** Called after the transfer is shown. */
  readonly request: () => Promise<ExportRequest>;
}

export async function makeAndSave({ title, problem, request }: ExportTask): Promise<void> {
  const cancelled = new AbortController();
  const transfer = startTransfer({ title, totalBytes: null, cancel: () => cancelled.abort() });
  try {
    await attempt(problem, async () => {
      const asked = await request();
      const made = cancelled.signal.aborted ? null : await make(asked, cancelled.signal, transfer.progress);
      if (made === null) announce('The export was cancelled');
      else saveBlob(made.name, made.file);
    });
  } finally {
    transfer.end();
  }
}

/** Returns null if the user cancelled. */
async function make(
  request: ExportRequest,
  signal: AbortSignal,
  progress: ExportEvents['progress'],
): Promise<MadeFile | null> {
  const worker = new CalledWorker<ExportCalls>(
    () => new Worker(new URL('./exportWorker.ts', import.meta.url), { type: 'module', name: 'export' }),
    workerEnded,
    { progress } satisfies ExportEvents,
  );
  const end = (): void => worker.end({ code: 'export.cancelled', message: 'It was cancelled.' });
  signal.addEventListener('abort', end);
  try {
    return await worker.calls.make(request);
  } catch (thrown) {
    if (signal.aborted) return null;
    throw thrown;
  } finally {
    end();
  }
}

const workerEnded = (why: string): ErrorInfo => ({
  code: 'export.worker-ended',
  message: `The thread that exports ended: ${why}.`,
  remedy: 'Try again; a run this large may need more memory than there is.',
});
