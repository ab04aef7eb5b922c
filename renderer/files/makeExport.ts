/** Makes files in a worker, with progress. A cancelled export leaves nothing behind. */
import type { ErrorInfo } from '../../core/errors.ts';
import { saveBlob } from '../common/saveBlob.ts';
import { CalledWorker } from '../common/workerCalls.ts';
import { announce } from '../store/announce.ts';
import { attempt } from '../store/host.ts';
import type { ExportCalls, ExportEvents, ExportRequest, MadeFile } from './exportMessages.ts';
import { startTransfer } from './transfers.ts';

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
