/** Two runs: their lanes on one time scale, and their differences. */
import { useMemo } from 'react';
import { formatDifference, formatSpread, predictedWords } from '../../core/explain/compare/format.ts';
import { judgementText } from '../../core/explain/compare/text.ts';
import type { ReportComparison } from '../../core/present/document.ts';
import { formatDuration } from '../../core/units.ts';
import { alignRuns, useAlignedTime } from '../compare/alignedTime.ts';
import { SharedAxis, useSharedKeys } from '../compare/SharedAxis.tsx';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import { Differences } from './Differences.tsx';
import { PaperLanes, usePrinting } from './PaperLanes.tsx';
import classes from './Report.module.css';
import { madeOn, type OpenedReportRun } from './readReport.ts';

interface Props {
  readonly comparison: ReportComparison;
  readonly runs: readonly OpenedReportRun[];
}

export function ComparisonPart({ comparison, runs }: Props) {
  const { makespan } = comparison;
  const predicted = predictedWords(comparison);
  return (
    <>
      <section aria-label="Comparison">
        <h2>Comparison</h2>
        <p>
          Makespan: A {formatSpread(makespan.a)}, B {formatSpread(makespan.b)}. B − A:{' '}
          <strong>{formatDifference(makespan) || 'not recorded'}</strong> {bracketed(judgementText(makespan))}
        </p>
        {predicted === null ? null : <p>{predicted}</p>}
        <Lanes runs={runs} />
      </section>
      <Differences comparison={comparison} />
    </>
  );
}

const bracketed = (text: string): string => (text === '' ? '' : `(${text})`);

/** Both runs begin at the same place of one scale. */
function Lanes({ runs }: { readonly runs: readonly OpenedReportRun[] }) {
  const views = useMemo(() => runs.map(({ loaded }) => loaded.view(null)), [runs]);
  const { extentNs } = alignRuns(
    views.map(({ makespanNs }) => makespanNs),
    [],
  );
  const time = useTimeWindow(extentNs);
  useSharedKeys(time);
  const printing = usePrinting();
  if (printing) {
    return runs.map(({ loaded, about }, index) => (
      <PaperLanes
        key={loaded.id}
        run={loaded}
        view={loaded.view(null)}
        title={`${'AB'.charAt(index)} ${about.title}`}
        about={`${formatDuration(loaded.view(null).makespanNs)}, ${about.origin} on ${madeOn(about)}`}
        extentNs={extentNs}
      />
    ));
  }
  return (
    <>
      <SharedAxis time={time} anchorNs={null} />
      {runs.map((run, index) => (
        <RunLanes key={run.loaded.id} run={run} letter={'AB'.charAt(index)} time={time} />
      ))}
      <Legend views={views} marks={false} />
    </>
  );
}

interface RunLanesProps {
  readonly run: OpenedReportRun;
  readonly letter: string;
  readonly time: TimeWindow;
}

function RunLanes({ run: { loaded, about }, letter, time }: RunLanesProps) {
  const own = useAlignedTime(time, 0);
  const view = loaded.view(null);
  return (
    <article className={classes['case']} aria-label={`${letter}: ${about.title}`}>
      <h3>
        {letter} {about.title}: {formatDuration(view.makespanNs)}, {about.origin}
      </h3>
      <div className={classes['lanes']} style={{ height: 220 }}>
        <LanesView run={loaded} view={view} window={own} title={about.title} compact axis={false} />
      </div>
    </article>
  );
}
