/** Reads the data of a report from its own page. */
import type { ReportDocument, ReportRun } from '../../core/present/document.ts';
import { documentElement, runElement } from '../../core/present/page.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { formatInstant } from '../common/time.ts';
import { indexIteration } from '../store/opened/iterationData.ts';
import { LoadedRun } from '../store/opened/loadedRun.ts';

/** Returns text such as 'NVIDIA H200, 20 Nov 2026, 14:05:09'. */
export const madeOn = ({ summary: { device, profile, machine, createdAt } }: ReportRun): string =>
  `${device?.name ?? profile ?? machine?.cpu ?? 'machine not recorded'}, ${formatInstant(createdAt)}`;

/** Returns how much of a sweep was done when its report was made, while it ran or after it was stopped. */
export function reachedWords(points: readonly { readonly status: 'done' | 'failed' }[], planned: number): string {
  const failed = points.filter(({ status }) => status === 'failed').length;
  const all = `${planned} ${planned === 1 ? 'point' : 'points'}`;
  const reached = points.length < planned ? `${points.length} of ${all} were reached when this was made` : all;
  return `${reached}${failed === 0 ? '' : `, of which ${failed} failed`}.`;
}

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

/** Defined by the page's start script (scripts/lib/report-page.mjs). */
declare const reportParts: { unpack(id: string): Response };

/** Returns the bytes that an element holds as base64 of gzip, and removes the element. */
const unpacked = async (id: string): Promise<Uint8Array> => new Uint8Array(await reportParts.unpack(id).arrayBuffer());
