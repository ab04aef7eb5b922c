/** The lifted steps before and after the chosen changes, as lanes above each other on one time scale. */
import { Loader } from '@mantine/core';
import { useMemo, useState } from 'react';
import { durationText, titleOf } from '../../core/present/plan.ts';
import { useAlignedTime } from '../compare/alignedTime.ts';
import { SharedAxis, useSharedKeys } from '../compare/SharedAxis.tsx';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import { measuredPair } from './measure.ts';
import classes from './Plan.module.css';
import { keyOf, usePlan } from './planStore.ts';
import { TryHead } from './TryHead.tsx';

export function TryPanel({ run }: { readonly run: LoadedRun }) {
  const plan = usePlan(run.id);
  const measured = measuredPair(plan);
  const after = useLast(plan.lanes[keyOf(plan.choice)]);
  const [from, to] = measured ?? [plan.lanes[keyOf([])], after];
  const title = plan.choice.length === 0 ? 'After, with no change' : `After: ${titleOf(plan.choice)}`;
  return (
    <section className={classes['try']} aria-label="Before and after">
      <TryHead run={run} plan={plan} measured={measured} />
      {from === undefined || to === undefined ? (
        <p className={classes['doing']} role="status">
          <Loader size={14} /> The lanes are being simulated…
        </p>
      ) : (
        <Lanes before={from} after={to} title={title} />
      )}
    </section>
  );
}

/** Returns the previous lanes until those of the next choice exist. */
function useLast(lanes: LoadedRun | undefined): LoadedRun | undefined {
  const [last, setLast] = useState(lanes);
  if (lanes !== undefined && lanes !== last) setLast(lanes);
  return lanes ?? last;
}

interface LanesProps {
  readonly before: LoadedRun;
  readonly after: LoadedRun;
  readonly title: string;
}

function Lanes({ before, after, title }: LanesProps) {
  const views = useMemo(() => [before.view(null), after.view(null)] as const, [before, after]);
  const time = useTimeWindow(Math.max(views[0].makespanNs, views[1].makespanNs));
  useSharedKeys(time);
  return (
    <>
      <SharedAxis time={time} anchorNs={null} />
      <Case title="Before, as it is" run={before} view={views[0]} time={time} />
      <Case title={title} run={after} view={views[1]} time={time} />
      <Legend views={views} marks={false} missed={0} />
    </>
  );
}

interface CaseProps {
  readonly title: string;
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: TimeWindow;
}

function Case({ title, run, view, time }: CaseProps) {
  const own = useAlignedTime(time, 0);
  return (
    <article className={classes['case']} aria-label={title}>
      <h3>
        <span title={title}>{title}</span>
        <small className="tabular">
          {durationText(view.makespanNs)}, {stepsIn(run)}
        </small>
      </h3>
      <div className={classes['casePlot']}>
        <LanesView run={run} view={view} window={own} title={title} compact axis={false} />
      </div>
    </article>
  );
}

function stepsIn({ run }: LoadedRun): string {
  const [main] = run.info.experiment?.threads ?? [];
  const count = main?.operations.filter(({ op }) => op === 'range').length ?? 0;
  return count === 1 ? '1 step' : `${count} steps`;
}
