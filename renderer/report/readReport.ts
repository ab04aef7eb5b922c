/** Reads the data of a report out of its own page. */
import type { ReportDocument, ReportRun } from '../../core/report/document.ts';
import { documentElement, runElement } from '../../core/report/page.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { indexIteration } from '../store/opened/iterationData.ts';
import { LoadedRun } from '../store/opened/loadedRun.ts';

export interface OpenedReport {
  readonly document: ReportDocument;
  readonly runs: readonly OpenedReportRun[];
}

export interface OpenedReportRun {
  readonly about: ReportRun;
  readonly loaded: LoadedRun;
}

export async function readReport(): Promise<OpenedReport> {
  const document = JSON.parse(new TextDecoder().decode(await unpacked(documentElement))) as ReportDocument;
  const runs = await Promise.all(document.runs.map((about, index) => openRun(about, index)));
  return { document, runs };
}

async function openRun(about: ReportRun, index: number): Promise<OpenedReportRun> {
  const run = decodeRun(await unpacked(runElement(index)));
  const { linkLimits, summary } = about;
  const attainable = (direction: string): number | null =>
    direction === 'h2d' || direction === 'd2h' ? linkLimits[direction] : null;
  const indexed = indexIteration(run.trace, run.info.iterations.representative);
  return { about, loaded: new LoadedRun(`report:${index}`, run, indexed, { summary, attainable }) };
}

/** The bytes that an element of the page holds as base64 of gzip. The element lets go of its text. */
async function unpacked(id: string): Promise<Uint8Array> {
  const element = document.getElementById(id);
  const text = element?.textContent;
  if (element == null || !text) throw new Error(`the file has no part "${id}": it was cut off or changed`);
  const packed = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  element.textContent = '';
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
