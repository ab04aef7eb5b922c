/** Several runs on one time scale, in a line each: how long it took, how much of the kernels was overlapped, and why not more. */
import { type CopyKernelOverlap, share } from '../figures/overlap.ts';
import type { SummaryDocument } from '../summary/summaryDocument.ts';
import type { Verdict } from '../verdicts/verdict.ts';

/** What the line of a run rests on; without overlap and verdicts where those aren't known yet. */
export type OverviewSource = Pick<SummaryDocument, 'name' | 'makespanNs' | 'verdicts'> & {
  readonly overlap: SummaryDocument['overlap'] | null;
};

export interface OverviewLine {
  readonly name: string;
  /** Null where nothing was recorded. */
  readonly makespanNs: number | null;
  /** makespanNs over the shortest makespan of all, 1 for the fastest; null where nothing was recorded. */
  readonly timesFastest: number | null;
  readonly h2dKernel: CopyKernelOverlap | null;
  /** Of the copy that took longest; null where the run holds no copy. */
  readonly verdict: Verdict | null;
}

/** In the order given. */
export function overview(sources: readonly OverviewSource[]): OverviewLine[] {
  const fastestNs = Math.min(...sources.flatMap(({ makespanNs }) => makespanNs ?? []));
  return sources.map(({ name, makespanNs, overlap, verdicts }) => ({
    name,
    makespanNs,
    timesFastest: makespanNs === null ? null : share(makespanNs, fastestNs),
    h2dKernel: overlap?.h2dKernel ?? null,
    verdict: mainVerdict(verdicts),
  }));
}

/** The verdict of the copy that took longest, the first of several; null for none. */
function mainVerdict(all: readonly Verdict[]): Verdict | null {
  return all.reduce<Verdict | null>((best, one) => (best === null || one.copyNs > best.copyNs ? one : best), null);
}
