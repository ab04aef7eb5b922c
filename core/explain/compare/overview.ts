/** Overview of several runs on one time scale, one line each: duration, overlap of kernels, and the main obstacle. */
import { type CopyKernelOverlap, share } from '../figures/overlap.ts';
import type { SummaryDocument } from '../summary/summaryDocument.ts';
import type { Verdict } from '../verdicts/verdict.ts';

/** Data for a run's line; without overlap and verdicts if those aren't known yet. */
export type OverviewSource = Pick<SummaryDocument, 'name' | 'makespanNs' | 'verdicts'> & {
  readonly overlap: SummaryDocument['overlap'] | null;
};

export interface OverviewLine {
  readonly name: string;
  /** Null if nothing was recorded. */
  readonly makespanNs: number | null;
  /** makespanNs divided by the shortest of all makespans, 1 for the fastest; null if nothing was recorded. */
  readonly timesFastest: number | null;
  readonly h2dKernel: CopyKernelOverlap | null;
  /** Verdict of the longest copy; null if the run has no copy. */
  readonly verdict: Verdict | null;
}

/** Returns lines in the given order. */
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

/** Returns the verdict of the longest copy, the first if equal; null if there is none. */
function mainVerdict(all: readonly Verdict[]): Verdict | null {
  return all.reduce<Verdict | null>((best, one) => (best === null || one.copyNs > best.copyNs ? one : best), null);
}
