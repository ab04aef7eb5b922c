/** Several runs side by side on one time scale, as the four-up comparison shows them. */
import { type Run, runName } from '../trace/run.ts';
import { iterationOf, makespan } from './iteration.ts';
import { type CopyKernelOverlap, overlap, share } from './overlap.ts';
import type { Verdict } from './verdicts/verdict.ts';
import { verdicts } from './verdicts/verdicts.ts';

export interface ComparedRun {
  readonly name: string;
  /** Of the representative iteration; null where nothing was recorded. */
  readonly makespanNs: number | null;
  /** makespanNs over the comparison's spanNs: the width of its lanes. */
  readonly shareOfSpan: number;
  /** makespanNs over the shortest makespan compared, 1 for the fastest; null where nothing was recorded. */
  readonly timesFastest: number | null;
  readonly h2dKernel: CopyKernelOverlap;
  /** Of the copy that took longest; null where the run holds no copy. */
  readonly verdict: Verdict | null;
}

export interface Comparison {
  /** The time scale that all share: from 0 to the longest makespan. */
  readonly spanNs: number;
  /** In the order given. */
  readonly runs: readonly ComparedRun[];
}

export function compareRuns(runs: readonly Run[]): Comparison {
  const examined = runs.map(examine);
  const known = examined.map(({ makespanNs }) => makespanNs).filter((time) => time !== null);
  const spanNs = Math.max(0, ...known);
  const fastestNs = Math.min(...known);
  return {
    spanNs,
    runs: examined.map((run) => ({
      ...run,
      shareOfSpan: share(run.makespanNs ?? 0, spanNs) ?? 0,
      timesFastest: run.makespanNs === null ? null : share(run.makespanNs, fastestNs),
    })),
  };
}

function examine({ info, trace }: Run): Omit<ComparedRun, 'shareOfSpan' | 'timesFastest'> {
  const iteration = iterationOf(trace, info.iterations.representative);
  return {
    name: runName(info),
    makespanNs: makespan(iteration),
    h2dKernel: overlap(iteration).h2dKernel,
    verdict: mainVerdict(verdicts(iteration, info.experiment)),
  };
}

/** The verdict of the copy that took longest, the first of several; null for none. */
function mainVerdict(all: readonly Verdict[]): Verdict | null {
  return all.reduce<Verdict | null>((best, one) => (best === null || one.copyNs > best.copyNs ? one : best), null);
}
