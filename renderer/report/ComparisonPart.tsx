/** Two runs: their lanes on one time scale, and their differences. */
import { useMemo } from 'react';
import { differenceBlocks, stepBlocks, timeBlocks } from '../../core/present/comparison.ts';
import type { ReportComparison } from '../../core/present/document.ts';
import { formatDuration } from '../../core/units.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { alignRuns, useAlignedTime } from '../compare/alignedTime.ts';
import { SharedAxis, useSharedKeys } from '../compare/SharedAxis.tsx';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import { PaperLanes, usePrinting } from './PaperLanes.tsx';
import classes from './Report.module.css';
import type { OpenedReportRun, OpenedRun } from './readReport.ts';

interface Props {
  readonly comparison: ReportComparison;
  readonly runs: readonly OpenedReportRun[];
}

/** Limit of the operations in a report's table. */
export const mostListed = 250;

export function ComparisonPart({ comparison, runs }: Props) {
  const { leftOut, stepParts } = comparison;
  return (
    <>
      <section aria-label="Comparison">
        <h2>Comparison</h2>
        {stepParts === null ? null : <Blocks blocks={stepBlocks(stepParts)} />}
        <Blocks blocks={timeBlocks(comparison)} />
        <ComparedLanes runs={runs} />
      </section>
      <section aria-label="Differences">
        <h2>Differences</h2>
        <Blocks blocks={differenceBlocks(comparison, { most: mostListed, leftOut })} />
      </section>
    </>
  );
}

interface LanesProps {
  readonly runs: readonly OpenedRun[];
  readonly letters?: readonly string[];
}

/** Both runs begin at the same place of one scale. */
export function ComparedLanes({ runs, letters = ['A ', 'B '] }: LanesProps) {
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
        title={`${letters[index]}${about.title}`}
        about={`${formatDuration(loaded.view(null).makespanNs)}, ${about.origin}`}
        extentNs={extentNs}
      />
    ));
  }
  return (
    <>
      <SharedAxis time={time} anchorNs={null} />
      {runs.map((run, index) => (
        <RunLanes key={run.loaded.id} run={run} letter={letters[index] ?? ''} time={time} />
      ))}
      <Legend views={views} marks={false} />
    </>
  );
}

interface RunLanesProps {
  readonly run: OpenedRun;
  readonly letter: string;
  readonly time: TimeWindow;
}

function RunLanes({ run: { loaded, about }, letter, time }: RunLanesProps) {
  const own = useAlignedTime(time, 0);
  const view = loaded.view(null);
  return (
    <article className={classes['case']} aria-label={`${letter}${about.title}`}>
      <h3>
        {letter}
        {about.title}: {formatDuration(view.makespanNs)}, {about.origin}
      </h3>
      <div className={classes['lanes']} style={{ height: 220 }}>
        <LanesView run={loaded} view={view} window={own} title={about.title} compact keepsCompute axis={false} />
      </div>
    </article>
  );
}
