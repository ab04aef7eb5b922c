/** The runs' lanes above each other on one time scale. */
import { Loader, Select } from '@mantine/core';
import { type ReactNode, useMemo } from 'react';
import { type OverviewLine, overview } from '../../core/explain/compare/overview.ts';
import { intervalText } from '../../core/machine/cost/interval.ts';
import { verdictTone } from '../../core/present/verdicts.ts';
import { runTitle } from '../../core/service/service.ts';
import { formatDuration, formatShare } from '../../core/units.ts';
import { Letter, letterOf } from '../charts/RunChooser.tsx';
import { OriginBadge, VerdictIcon } from '../common/marks.tsx';
import { ErrorText } from '../common/Page.tsx';
import { deviceAndTime, formatMoment } from '../common/time.ts';
import { useHazardOps } from '../predict/hazards/useHazards.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { missedIn } from '../store/opened/missed.ts';
import { openPage, openTerm } from '../store/pages.ts';
import { useApp, useDerived } from '../store/store.ts';
import { Legend } from '../timeline/Legend.tsx';
import { LanesView } from '../timeline/lanes/LanesView.tsx';
import { type TimeWindow, useTimeWindow } from '../timeline/time/timeWindow.ts';
import { alignRuns, useAlignedTime } from './alignedTime.ts';
import { alignmentIn, anchorsOf } from './anchors.ts';
import classes from './ComparePage.module.css';
import { setCompare, useCompare } from './compareStore.ts';
import { SharedAxis, useSharedKeys } from './SharedAxis.tsx';

/** The state of a run that has no lanes yet, or will get none. */
interface Props {
  readonly id: string;
  readonly name: string;
}

function Pending({ id, name }: Props) {
  const loaded = useApp((app) => app.loadedRuns[id]);
  const status = useApp(({ runs }) => runs[id]?.status);
  const error = loaded?.status === 'failed' ? loaded.error : null;
  return (
    <section className={classes['pending']} aria-label={name}>
      <strong className={classes['pendingName']}>{name}</strong>
      {error === null ? <Loader size={14} /> : status === 'cancelled' ? 'Cancelled.' : <ErrorText error={error} />}
    </section>
  );
}

interface StackProps {
  readonly ids: readonly string[];
  readonly loaded: readonly (LoadedRun | null)[];
}

export function Stack({ ids, loaded }: StackProps) {
  const iterations = useCompare((state) => state.iterations);
  const chosen = useCompare((state) => state.alignment);
  const ready = useMemo(() => loaded.filter((run) => run !== null), [loaded]);
  // A large run becomes another object, with queues and memory, when it has its summary.
  const views = useMemo(() => ready.map((run) => run.view(iterations[run.id] ?? null)), [ready, iterations]);
  const known = useCompare((state) => state.steps);
  const steps = useMemo(() => ready.map(({ id }) => known[id] ?? []), [ready, known]);
  const alignment = useMemo(
    () => alignmentIn(views[0]?.run.info.experiment ?? null, steps[0] ?? [], chosen),
    [views, steps, chosen],
  );
  const anchors = useMemo(() => anchorsOf(views, steps, alignment), [views, steps, alignment]);
  const { shifts, anchorNs, extentNs } = useMemo(
    () =>
      alignRuns(
        views.map(({ makespanNs }) => makespanNs),
        anchors,
      ),
    [views, anchors],
  );
  // A run outside the library has the name in its file. Device and time stand next to the names.
  const names = useDerived(({ runs }) => ids.map((id) => (runs[id] === undefined ? id : runTitle(runs[id]))));
  const lines = overview(ready.map((run, index) => source(run, names[ids.indexOf(run.id)] ?? '', views[index])));
  const missed = ready.reduce((sum, run, at) => sum + (views[at] === undefined ? 0 : missedIn(run, views[at]).size), 0);
  const time = useTimeWindow(extentNs);
  useSharedKeys(time);
  return (
    <div className={classes['runs']}>
      <SharedAxis time={time} anchorNs={anchorNs} />
      <ol className={classes['stack']} aria-label="Runs compared">
        {ids.map((id, place) => {
          const at = ready.findIndex((run) => run.id === id);
          const [run, view, line] = [ready[at], views[at], lines[at]];
          return (
            <li key={id} className={classes['case']}>
              {run === undefined || view === undefined || line === undefined ? (
                <Pending id={id} name={names[place] ?? ''} />
              ) : (
                <Case
                  run={run}
                  view={view}
                  line={line}
                  letter={letterOf(place)}
                  time={time}
                  shiftNs={shifts[at] ?? 0}
                  isUnaligned={alignment !== null && anchorNs !== null && anchors[at] === null}
                />
              )}
            </li>
          );
        })}
      </ol>
      <Legend views={views} marks={false} missed={missed} />
    </div>
  );
}

const source = (run: LoadedRun, name: string, view: IterationView | undefined) => ({
  name,
  makespanNs: view === undefined || view.rows.to === view.rows.from ? null : view.makespanNs,
  overlap: run.summary?.overlap ?? null,
  verdicts: run.verdicts,
});

interface CaseProps {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly line: OverviewLine;
  readonly letter: string;
  readonly time: TimeWindow;
  readonly shiftNs: number;
  /** True if the run lacks the operation that aligns the others. */
  readonly isUnaligned: boolean;
}

function Case({ run, view, line, letter, time, shiftNs, isUnaligned }: CaseProps) {
  const summary = useApp((state) => state.runs[run.id]);
  const all = useCompare((state) => state.lanes === 'all');
  const own = useAlignedTime(time, shiftNs);
  const hazards = useHazardOps(run);
  const { verdict, makespanNs, timesFastest, h2dKernel } = line;
  const interval = run.summary?.makespanInterval;
  return (
    <article aria-label={line.name} data-shift-ns={shiftNs}>
      <header className={classes['caseHead']}>
        <Letter letter={letter} />
        <button
          type="button"
          className={classes['name']}
          title={line.name}
          onClick={() => openPage({ kind: 'run', id: run.id })}
        >
          {line.name}
        </button>
        {summary === undefined ? null : (
          <>
            <OriginBadge origin={summary.origin} compact />
            <Yielding title={deviceAndTime(summary.device, formatMoment(summary.createdAt))}>
              {deviceAndTime(summary.device, formatMoment(summary.createdAt))}
            </Yielding>
          </>
        )}
        {run.run.info.whileRecording === true ? (
          <Yielding title="So that you can compare it with a recorded run">with what recording costs</Yielding>
        ) : null}
        <IterationOf run={run} view={view} name={line.name} />
        {isUnaligned ? <Yielding>without what the runs are aligned by</Yielding> : null}
        {verdict === null ? null : (
          <span className={classes['verdict']} title={`${verdict.title}. ${verdict.explanation}`}>
            <VerdictIcon verdict={verdict} size={15} /> {verdict.title}
          </span>
        )}
        <span className={`${classes['figures']} tabular`}>
          {h2dKernel === null || h2dKernel.shareOfKernel === null ? null : (
            <span
              className={classes['share']}
              data-tone={verdict === null ? undefined : verdictTone(verdict)}
              title="Share of the kernels' time in which a host-to-device copy ran too"
            >
              <strong>{formatShare(h2dKernel.shareOfKernel)}</strong>
              <span className={classes['wide']}> of kernel</span> overlapped
            </span>
          )}
          <span title="From the iteration's start to its last activity's end">
            <strong>{makespanNs === null ? 'not recorded' : formatDuration(makespanNs)}</strong>
            <span className={classes['exact']}>
              {interval === undefined || interval === null ? null : `, ${intervalText(interval)}`}
              {timesFastest === null || timesFastest <= 1.0005 ? null : ` ${timesFastest.toFixed(2)}× the fastest`}
            </span>
          </span>
        </span>
      </header>
      <div className={classes['plot']}>
        <LanesView
          run={run}
          view={view}
          window={own}
          title={line.name}
          compact={!all}
          keepsCompute
          axis={false}
          hazards={hazards}
          onTerm={openTerm}
        />
      </div>
    </article>
  );
}

/** Text that shrinks before the verdict does. */
const Yielding = ({ title, children }: { readonly title?: string; readonly children: ReactNode }) => (
  <span className={classes['yielding']} title={title}>
    <span>{children}</span>
  </span>
);

/** Picks the shown iteration of the run, the median one by default. */
function IterationOf({
  run,
  view,
  name,
}: {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly name: string;
}) {
  const iterations = useCompare((state) => state.iterations);
  if (run.iterations.length < 2) return null;
  const { representative } = run.run.info.iterations;
  return (
    <Select
      aria-label={`Iteration of ${name}`}
      variant="unstyled"
      w={158}
      flex="none"
      size="xs"
      value={String(view.number)}
      data={run.iterations.map((number) => ({
        value: String(number),
        label: `iteration ${number + 1}${number === representative ? ' (typical)' : ''}`,
      }))}
      onChange={(value) => value !== null && setCompare({ iterations: { ...iterations, [run.id]: Number(value) } })}
    />
  );
}
