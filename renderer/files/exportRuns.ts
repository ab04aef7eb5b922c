/** Runs in the formats of other viewers, made by a worker: with progress, and nothing is left of one that is cancelled. */
import { CopyscopeError } from '../../core/errors.ts';
import { type ExportFormat, exportWords } from '../../core/export/formats.ts';
import { runFilePath } from '../../core/service/service.ts';
import { saveBlob } from '../common/saveBlob.ts';
import { announce } from '../store/announce.ts';
import { attempt } from '../store/host.ts';
import { isPrediction, loadedRun, shownRunId } from '../store/select.ts';
import { state } from '../store/store.ts';
import type { ExportAnswer, ExportRequest } from './exportMessages.ts';
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

async function exportSource(source: ExportRequest['source'], format: ExportFormat): Promise<void> {
  const cancelled = new AbortController();
  const title = `Exporting ${exportWords[format].purpose}`;
  const transfer = startTransfer({ title, totalBytes: null, cancel: () => cancelled.abort() });
  try {
    await attempt('The run could not be exported', async () => {
      const made = await make({ source, format }, cancelled.signal, transfer.progress);
      if (made === null) announce('The export was cancelled');
      else saveBlob(made.name, made.file);
    });
  } finally {
    transfer.end();
  }
}

type Made = Extract<ExportAnswer, { kind: 'done' }>;

/** Null where it was cancelled. */
function make(
  request: ExportRequest,
  signal: AbortSignal,
  progress: (bytes: number, share: number) => void,
): Promise<Made | null> {
  const worker = new Worker(new URL('./exportWorker.ts', import.meta.url), { type: 'module', name: 'export' });
  return new Promise<Made | null>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(null));
    worker.onmessage = ({ data }: MessageEvent<ExportAnswer>) => {
      if (data.kind === 'progress') progress(data.bytes, data.share);
      else if (data.kind === 'done') resolve(data);
      else reject(new CopyscopeError(data.error));
    };
    worker.onerror = ({ message }) => reject(workerEnded(message));
    worker.postMessage(request);
  }).finally(() => worker.terminate());
}

const workerEnded = (why: string): CopyscopeError =>
  new CopyscopeError({
    code: 'export.worker-ended',
    message: `The thread that exports ended: ${why || 'it gave no reason'}.`,
    remedy: 'Try again; a run this large may need more memory than there is.',
  });
