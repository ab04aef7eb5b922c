/** The figures and charts of one run, and its machine. */
import { useMemo } from 'react';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { summaryBlocks } from '../../core/present/summary.ts';
import { formatDuration } from '../../core/units.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { breakdownCharts } from '../charts/breakdowns.ts';
import { Chart } from '../charts/Chart.tsx';
import { chartHeight, linkOf } from '../charts/RunCharts.tsx';
import { ErrorText } from '../common/Page.tsx';
import { formatInstant } from '../common/time.ts';
import { Notes } from '../inspector/Facts.tsx';
import classes from './Report.module.css';
import type { OpenedReportRun } from './readReport.ts';

/** The blocks of a run's summary, side by side. */
export function SummaryGrid({ summary }: { readonly summary: WindowSummary }) {
  return (
    <div className={classes['blocks']}>
      <Blocks blocks={summaryBlocks(summary, formatInstant(summary.createdAt))} />
      <Notes notes={summary.notes} />
    </div>
  );
}

interface Props {
  readonly run: OpenedReportRun;
  /** Letter of the run if the report has several, or null. */
  readonly letter: string | null;
}

export function RunPart({ run: { about, loaded }, letter }: Props) {
  const { summary, origin, title } = about;
  const { recordedMakespanNs } = loaded.run.info.iterations;
  const charts = useMemo(
    () => breakdownCharts(summary, origin, recordedMakespanNs, { bytesPerSecond: linkOf(loaded) }),
    [summary, origin, recordedMakespanNs, loaded],
  );
  const name = letter === null ? '' : ` of ${letter}, ${title}`;
  return (
    <>
      <section aria-label={`Figures${name}`}>
        <h2>Figures{name}</h2>
        {summary.error === null ? null : <ErrorText error={summary.error} />}
        {summary.makespanNs === null ? null : (
          <p>
            Makespan <strong>{formatDuration(summary.makespanNs)}</strong>, from the iteration’s start to its last
            activity’s end.
          </p>
        )}
        <SummaryGrid summary={summary} />
      </section>
      {charts.length === 0 ? null : (
        <section aria-label={`Charts${name}`}>
          <h2>Charts{name}</h2>
          <div className={classes['charts']}>
            {charts.map((spec) => (
              <Chart key={spec.title} spec={spec} height={chartHeight(spec)} />
            ))}
          </div>
        </section>
      )}
    </>
  );
}
