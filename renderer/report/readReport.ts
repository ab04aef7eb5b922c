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

export interface OpenedReport {
  readonly document: ReportDocument;
  readonly runs: readonly OpenedReportRun[];
}

export interface OpenedReportRun {
  readonly about: ReportRun;
  readonly loaded: LoadedRun;
  /** Lanes before and after the tried changes, or none. */
  readonly tried: readonly OpenedRun[];
}

/** The lanes of a run with its title. */
export interface OpenedRun {
  readonly about: Pick<ReportRun, 'title' | 'origin'>;
  readonly loaded: LoadedRun;
}

export async function readReport(): Promise<OpenedReport> {
  const document = JSON.parse(new TextDecoder().decode(await unpacked(documentElement))) as ReportDocument;
  const runs = await Promise.all(document.runs.map((about, index) => openRun(about, index)));
  return { document, runs };
}

async function openRun(about: ReportRun, index: number): Promise<OpenedReportRun> {
  const { linkLimits, summary } = about;
  const attainable = (direction: string): number | null =>
    direction === 'h2d' || direction === 'd2h' ? linkLimits[direction] : null;
  const tried = await Promise.all(
    (about.tried ?? []).map(async ({ title, element }): Promise<OpenedRun> => {
      return { about: { title, origin: 'simulated' }, loaded: await openLanes(element, {}) };
    }),
  );
  return { about, loaded: await openLanes(index, { summary, attainable }), tried };
}

async function openLanes(index: number, known: ConstructorParameters<typeof LoadedRun>[3]): Promise<LoadedRun> {
  const run = decodeRun(await unpacked(runElement(index)));
  return new LoadedRun(`report:${index}`, run, indexIteration(run.trace, run.info.iterations.representative), known);
}

/** Defined by the page's start script (scripts/lib/report-page.mjs). */
declare const reportParts: { unpack(id: string): Response };

/** Returns the bytes that an element holds as base64 of gzip, and removes the element. */
const unpacked = async (id: string): Promise<Uint8Array> => new Uint8Array(await reportParts.unpack(id).arrayBuffer());
