/** Makes the file of an export away from the window's thread. Cancelling ends the worker. */
import '../common/zodSetup.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { exportRun } from '../../core/export/exportRun.ts';
import { exportFileName, exportWords, fileNameOf } from '../../core/export/formats.ts';
import { runReport, sweepReport } from '../../core/present/make.ts';
import { reportPieces } from '../../core/present/page.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { serveCalls } from '../common/workerCalls.ts';
import { readRunFile } from '../store/opened/readRunFile.ts';
import type { ExportCalls, ExportEvents, ExportRequest, MadeFile, ReportRequest, RunSource } from './exportMessages.ts';

/** Returns the report page without data, which is built next to the window. Rejects with `report.no-page`. */
async function fetchReportPage(address: string): Promise<string> {
  const answer = await fetch(address).catch(() => null);
  if (answer?.ok === true) return answer.text();
  throw new CopyscopeError({
    code: 'report.no-page',
    message: 'The page of reports could not be read from the host.',
    remedy: 'Build the window again with npm run build, or load this page anew.',
  });
}

/** Bytes per Blob, which the browser may keep on its disk. */
const partBytes = 16 * 1024 * 1024;

const readSource = async (source: RunSource): Promise<Run> =>
  'address' in source ? decodeRun(await readRunFile(source)) : source;

async function makeExport({ source, format }: Extract<ExportRequest, { kind: 'run' }>): Promise<MadeFile> {
  const run = await readSource(source);
  const share = { now: 0 };
  const onProgress = (rows: number, of: number): void => {
    share.now = of === 0 ? 1 : rows / of;
  };
  const file = await collected(exportRun(run, format, { onProgress }), exportWords[format].mediaType, share);
  return { file, name: exportFileName(run.info, format) };
}

async function makeReport({ page, runs, sweep, tried, copyscope, withPaths }: ReportRequest): Promise<MadeFile> {
  const template = await fetchReportPage(page);
  const options = { createdAt: new Date().toISOString(), copyscope, withPaths, tried };
  const read = [];
  for (const { source, ...about } of runs) read.push({ ...about, run: await readSource(source) });
  const made = sweep === null ? runReport(read, options) : sweepReport(sweep, options);
  const share = { now: 0 };
  const onPacked = (bytes: number, of: number): void => {
    share.now = of === 0 ? 1 : bytes / of;
  };
  const file = await collected(reportPieces(template, made, onPacked), 'text/html', share);
  return { file, name: fileNameOf(made.document.title, '.html') };
}

/** Joins the pieces to one file, and reports progress with each. */
async function collected(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  type: string,
  share: { readonly now: number },
): Promise<Blob> {
  const blobs: Blob[] = [];
  let pieces: Uint8Array<ArrayBuffer>[] = [];
  let [bytes, waiting] = [0, 0];
  for await (const piece of source) {
    pieces.push(piece as Uint8Array<ArrayBuffer>);
    bytes += piece.length;
    waiting += piece.length;
    void events.progress.asEvent(bytes, share.now);
    if (waiting < partBytes) continue;
    blobs.push(new Blob(pieces));
    [pieces, waiting] = [[], 0];
  }
  return new Blob([...blobs, ...pieces], { type });
}

const calls: ExportCalls = { make: (request) => (request.kind === 'run' ? makeExport(request) : makeReport(request)) };
const events = serveCalls<ExportEvents>(calls);
