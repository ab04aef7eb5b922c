/** Makes the file of an export away from the window's thread. Whoever cancels it ends the worker. */
import '../common/zodSetup.ts';
import { toErrorInfo } from '../../core/errors.ts';
import { exportRun } from '../../core/export/exportRun.ts';
import { exportFileName, exportWords } from '../../core/export/formats.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { readRunFile } from '../store/opened/readRunFile.ts';
import type { ExportAnswer, ExportRequest } from './exportMessages.ts';

/** The worker's own global, as far as this file needs it. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ExportRequest>) => void) | null;
  postMessage(message: ExportAnswer): void;
}

const scope = globalThis as unknown as WorkerScope;

/** So many bytes become a Blob, which the browser may keep on its disk. */
const partBytes = 16 * 1024 * 1024;

scope.onmessage = ({ data }) => {
  make(data).then(
    (answer) => scope.postMessage(answer),
    (thrown: unknown) => scope.postMessage({ kind: 'failed', error: toErrorInfo(thrown) }),
  );
};

async function make({ source, format }: ExportRequest): Promise<ExportAnswer> {
  const run = typeof source === 'string' ? decodeRun(await readRunFile(source)) : source;
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, waiting, share] = [0, 0, 0];
  const onProgress = (rows: number, of: number): void => {
    share = of === 0 ? 1 : rows / of;
  };
  for (const piece of exportRun(run, format, { onProgress })) {
    pieces.push(piece as Uint8Array<ArrayBuffer>);
    bytes += piece.length;
    waiting += piece.length;
    scope.postMessage({ kind: 'progress', bytes, share });
    if (waiting < partBytes) continue;
    blobs.push(new Blob(pieces));
    [pieces, waiting] = [[], 0];
  }
  const file = new Blob([...blobs, ...pieces], { type: exportWords[format].mediaType });
  return { kind: 'done', file, name: exportFileName(run.info, format) };
}
