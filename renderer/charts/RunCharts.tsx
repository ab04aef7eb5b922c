/** The charts of one run, shown in place of its lanes. */
import { useMemo } from 'react';
import { useLessonView } from '../store/lessonView.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { breakdownCharts } from './breakdowns.ts';
import { Chart } from './Chart.tsx';
import classes from './RunCharts.module.css';
import type { ChartSpec } from './spec.ts';

export function RunCharts({ run }: { readonly run: LoadedRun }) {
  const origin = useApp((state) => state.runs[run.id]?.origin);
  const { summary } = run;
  const variantsNs = useLessonView(({ extentNs }) => extentNs);
  const specs = useMemo(
    () =>
      summary === null || origin === undefined
        ? []
        : breakdownCharts(summary, origin, run.run.info.iterations.recordedMakespanNs, {
            bytesPerSecond: linkOf(run),
            makespanNs: variantsNs,
          }),
    [summary, origin, run, variantsNs],
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard.
    <section className={classes['charts']} aria-label="Charts of this run" tabIndex={0}>
      {summary === null ? <p role="status">Summing up the run…</p> : null}
      {specs.map((spec) => (
        <Chart key={spec.title} spec={spec} height={chartHeight(spec)} />
      ))}
    </section>
  );
}

/** Returns the faster link limit of both directions in bytes per second, where bandwidth axes end, or null. */
export const linkOf = (run: LoadedRun): number | null =>
  Math.max(run.linkLimit('h2d') ?? 0, run.linkLimit('d2h') ?? 0) || null;

/** Returns a height with just enough room for a number at each bar. */
export const chartHeight = (spec: ChartSpec): number =>
  spec.kind === 'bars' ? Math.min(420, 100 + 44 * spec.categories.length) : 280;
