/** Runs in the formats of other viewers, made by a worker: with progress, and nothing is left of one that is cancelled. */
import type { ErrorInfo } from '../../core/errors.ts';
import { type ExportFormat, exportWords } from '../../core/export/formats.ts';
import { runFilePath } from '../../core/service/service.ts';
import type { Run } from '../../core/trace/run.ts';
import { saveBlob } from '../common/saveBlob.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { announce } from '../store/announce.ts';
import { attempt } from '../store/host.ts';
import { isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { state } from '../store/store.ts';
import type { ExportCalls, ExportEvents } from './exportMessages.ts';
import { startTransfer } from './transfers.ts';

/** A run of the library, or one that ships. */
export const exportKeptRun = (id: string, format: ExportFormat): Promise<void> =>
  exportSource(new URL(runFilePath(id), location.href).href, format);

/** What the timeline shows: a run, or a prediction, which only this window has. */
export async function exportShownRun(format: ExportFormat): Promise<void> {
  const shown = loadedRun(state(), shownRunId(state()));
  if (shown === null) return;
  await (isPrediction(shown.id) ? exportSource(shown.run, format) : exportKeptRun(shown.id, format));
}

async function exportSource(source: string | Run, format: ExportFormat): Promise<void> {
  const cancelled = new AbortController();
  const title = `Exporting ${exportWords[format].purpose}`;
  const transfer = startTransfer({ title, totalBytes: null, cancel: () => cancelled.abort() });
  try {
    await attempt('The run could not be exported', async () => {
      const made = await make(source, format, cancelled.signal, transfer.progress);
      if (made === null) announce('The export was cancelled');
      else saveBlob(made.name, made.file);
    });
  } finally {
    transfer.end();
  }
}

/** Null where it was cancelled. */
async function make(
  source: string | Run,
  format: ExportFormat,
  signal: AbortSignal,
  progress: ExportEvents['progress'],
): Promise<Awaited<ReturnType<ExportCalls['make']>> | null> {
  const worker = new CalledWorker<ExportCalls>(
    () => new Worker(new URL('./exportWorker.ts', import.meta.url), { type: 'module', name: 'export' }),
    workerEnded,
    { progress } satisfies ExportEvents,
  );
  const end = (): void => worker.end({ code: 'export.cancelled', message: 'It was cancelled.' });
  signal.addEventListener('abort', end);
  try {
    return await worker.calls.make(source, format);
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
