/** The figures and charts of one run, and its machine. */
import { useMemo } from 'react';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import { formatDuration } from '../../core/units.ts';
import { breakdownCharts } from '../charts/breakdowns.ts';
import { Chart } from '../charts/Chart.tsx';
import { chartHeight, linkOf } from '../charts/RunCharts.tsx';
import { ErrorText } from '../common/Page.tsx';
import {
  DeviceBlock,
  EngineBlock,
  HostBlock,
  MachineBlock,
  Notes,
  OverlapBlock,
  TimingBlock,
  VerificationBlock,
} from '../inspector/SummaryBlocks.tsx';
import classes from './Report.module.css';
import type { OpenedReportRun } from './readReport.ts';

/** The blocks of a run's summary, side by side. */
export function SummaryGrid({ summary }: { readonly summary: WindowSummary }) {
  return (
    <div className={classes['blocks']}>
      <OverlapBlock summary={summary} />
      <DeviceBlock summary={summary} />
      <EngineBlock summary={summary} />
      <HostBlock summary={summary} />
      <VerificationBlock summary={summary} />
      <TimingBlock summary={summary} />
      <MachineBlock summary={summary} />
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
