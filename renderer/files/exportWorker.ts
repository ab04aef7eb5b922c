/** Makes the file of an export away from the window's thread. Whoever cancels it ends the worker. */
import '../common/zodSetup.ts';
import { exportRun } from '../../core/export/exportRun.ts';
import { exportFileName, exportWords } from '../../core/export/formats.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { serveCalls } from '../common/workerCalls.ts';
import { readRunFile } from '../store/opened/readRunFile.ts';
import type { ExportCalls, ExportEvents } from './exportMessages.ts';

/** So many bytes become a Blob, which the browser may keep on its disk. */
const partBytes = 16 * 1024 * 1024;

const make: ExportCalls['make'] = async (source, format) => {
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
    void events.progress.asEvent(bytes, share);
    if (waiting < partBytes) continue;
    blobs.push(new Blob(pieces));
    [pieces, waiting] = [[], 0];
  }
  const file = new Blob([...blobs, ...pieces], { type: exportWords[format].mediaType });
  return { file, name: exportFileName(run.info, format) };
};

const events = serveCalls<ExportEvents>({ make });
