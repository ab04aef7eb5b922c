/** The charts of one run: in place of its lanes. */
import { useMemo } from 'react';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { breakdownCharts } from './breakdowns.ts';
import { Chart } from './Chart.tsx';
import classes from './RunCharts.module.css';
import type { ChartSpec } from './spec.ts';

export function RunCharts({ run }: { readonly run: LoadedRun }) {
  const origin = useApp((state) => state.runs[run.id]?.origin);
  const { summary } = run;
  const specs = useMemo(
    () =>
      summary === null || origin === undefined
        ? []
        : breakdownCharts(summary, origin, run.run.info.iterations.recordedMakespanNs),
    [summary, origin, run],
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

/** Bars need room for their number, and no more. */
export const chartHeight = (spec: ChartSpec): number =>
  spec.kind === 'bars' ? Math.min(420, 100 + 44 * spec.categories.length) : 280;
