/** The timeline of the shown run: choice of run and iteration, lanes or table, and its keys. */

import { SegmentedControl, VisuallyHidden } from '@mantine/core';
import { memo, useEffect, useMemo, useRef, useState } from 'react';
import { rowEndNs } from '../../core/trace/rows.ts';
import { runName } from '../../core/trace/run.ts';
import { formatDuration } from '../../core/units.ts';
import { RunCharts } from '../charts/RunCharts.tsx';
import type { Saved } from '../charts/SaveMenu.tsx';
import { useFormerMakespan } from '../predict/former.ts';
import type { HazardsByOp } from '../predict/hazards/hazardsByOp.ts';
import { useHazardOps } from '../predict/hazards/useHazards.ts';
import { useLessonView } from '../store/lessonView.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { missedIn } from '../store/opened/missed.ts';
import { openTerm } from '../store/pages.ts';
import { useAskedPlace } from '../store/place.ts';
import { loadedRun, shownRunId } from '../store/select.ts';
import { assign, Following, select, useApp } from '../store/store.ts';
import { stepMissed } from './commands.ts';
import { Legend } from './Legend.tsx';
import { LanesView } from './lanes/LanesView.tsx';
import { NoTimeline, NothingRecorded, PredictionBar } from './NoTimeline.tsx';
import { NotesPanel } from './notes/NotesPanel.tsx';
import { noteCommands, writeOn } from './notes/noteSteps.ts';
import { useNotesOpen, useRunNotes } from './notes/notes.ts';
import { CallTable } from './rows/CallTable.tsx';
import { operationLabels, rowSentence } from './rows/describeRow.ts';
import { RowsTable } from './rows/RowsTable.tsx';
import classes from './TimelinePanel.module.css';
import { revealIn } from './time/timeView.ts';
import { type FollowingProps, type TimeWindow, useFollowedRun, useTimeWindow } from './time/timeWindow.ts';
import { Toolbar } from './toolbar/Toolbar.tsx';
import { shownOf, useKeys, useTimelineKeys } from './useTimelineKeys.ts';

/** The content of the lanes as a table: each activity, or a trace's copies and waits by program line. */
interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
}

function TableView({ run, view }: Props) {
  const [as, setAs] = useState<'activities' | 'lines'>('activities');
  // An experiment has operations in place of lines.
  if (run.run.info.imported === undefined) return <RowsTable run={run} view={view} />;
  return (
    <div className={classes['frame']}>
      <SegmentedControl
        size="xs"
        className={classes['choice'] ?? ''}
        aria-label="Table content"
        value={as}
        onChange={(value) => setAs(value === 'lines' ? 'lines' : 'activities')}
        data={[
          { value: 'activities', label: 'Activities' },
          { value: 'lines', label: 'Called from' },
        ]}
      />
      <div className={classes['table']}>
        {as === 'lines' ? <CallTable run={run} view={view} /> : <RowsTable run={run} view={view} />}
      </div>
    </div>
  );
}

/** Returns the signs that the lanes show on a row as text, for screen readers. */
function signWords({ missed, run }: LoadedRun, row: number, hazards: HazardsByOp): string {
  const verdict = missed.get(row);
  const found = hazards.get(run.trace.columns.op[row] ?? -1) ?? [];
  const titles = [...new Set(found.map(({ title }) => ` Hazard: ${title}.`))];
  return [...(verdict === undefined ? [] : [` No overlap: ${verdict.title}.`]), ...titles].join('');
}

/** Announces the selection to screen readers. */
function SelectionAnnouncer({ run }: { readonly run: LoadedRun }) {
  const hazards = useHazardOps(run);
  const selection = useApp((state) => state.selection);
  const { trace, info } = run.run;
  const text =
    selection?.kind === 'row' && selection.run === run.id
      ? [
          rowSentence(trace, selection.row, operationLabels(info.experiment)),
          signWords(run, selection.row, hazards),
        ].join('')
      : selection?.kind === 'area' && selection.run === run.id
        ? `Selected ${formatDuration(selection.endNs - selection.startNs)}.`
        : selection?.kind === 'rows' && selection.run === run.id
          ? `Selected ${selection.title}.`
          : '';
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="timeline-announcement">
      {text}
    </VisuallyHidden>
  );
}

interface PanelProps {
  /** Saves the rows of the shown run, and makes its report. */
  readonly saving: Pick<Saved, 'figures' | 'report'>;
}

export function TimelinePanel({ saving }: PanelProps) {
  const id = useApp(shownRunId);
  const run = useApp((state) => loadedRun(state, id));
  return (
    <section className={classes['panel']} aria-label="Timeline" data-timeline>
      {run === null ? <NoTimeline id={id} /> : <RunTimeline key={run.id} run={run} saving={saving} />}
      {run === null ? null : <PredictionBar className={classes['again']} />}
    </section>
  );
}

function RunTimeline({ run, saving }: PanelProps & { readonly run: LoadedRun }) {
  const iteration = useApp((state) => state.iteration);
  const as = useApp((state) => state.timelineAs);
  const view = useMemo(() => run.view(iteration), [run, iteration]);
  const formerNs = useFormerMakespan(run.id);
  const variantsNs = useLessonView(({ extentNs }) => extentNs);
  // One scale for before and after an edit, and for a lesson's variants.
  const time = useTimeWindow(Math.max(view.makespanNs, formerNs ?? 0, variantsNs ?? 0));
  const mover = useMover(time);
  const first = useRef(run).current;
  const title = runName(run.run.info);
  useTimelineKeys(run, view, time);
  const shown = shownOf(run, view, time);
  useKeys(noteCommands, shown, true);
  useShownNote(run, view, time);
  useRevealed(run, time);
  useAsked(run, view, time);
  const notesOpen = useNotesOpen();
  const hazards = useHazardOps(run);
  return (
    <>
      <Following>
        <Toolbar first={first} time={mover} saving={saving} />
      </Following>
      <div className={classes['body']}>
        <div className={classes['main']}>
          {view.rows.to === view.rows.from ? (
            <NothingRecorded run={run} />
          ) : as === 'table' ? (
            <TableView run={run} view={view} />
          ) : as === 'charts' ? (
            <RunCharts run={run} />
          ) : (
            <LanesView
              run={run}
              view={view}
              window={time}
              title={title}
              formerNs={formerNs}
              hazards={hazards}
              onTerm={openTerm}
            />
          )}
        </div>
        {as === 'lanes' && notesOpen ? <NotesPanel run={run} onAdd={() => writeOn(shown)} /> : null}
      </div>
      <Following>
        <Foot first={first} time={mover} />
      </Following>
    </>
  );
}

/** Moves whichever time window is shown, since each run brings a new one. */
function useMover(time: TimeWindow): FollowingProps['time'] {
  const latest = useRef(time);
  latest.current = time;
  return useMemo(
    () => ({
      move: (change) => latest.current.move(change),
      get view() {
        return latest.current.view;
      },
    }),
    [],
  );
}

const Foot = memo(function Foot({ first, time }: FollowingProps) {
  const { run, view } = useFollowedRun(first);
  const as = useApp((state) => state.timelineAs);
  const views = useMemo(() => [view], [view]);
  const hazards = useHazardOps(run).size > 0;
  const missed = missedIn(run, view).size;
  const onMissed = (): void => void stepMissed({ run, view, time }, 1);
  return (
    <>
      {as === 'lanes' && view.rows.to > view.rows.from ? (
        <Legend views={views} hazards={hazards} missed={missed} onMissed={onMissed} />
      ) : null}
      <SelectionAnnouncer run={run} />
    </>
  );
});

/** Shows the place of a link: its iteration first, then its time range and selection. */
function useAsked(run: LoadedRun, view: IterationView, time: TimeWindow): void {
  const place = useAskedPlace((state) => state.place);
  useEffect(() => {
    if (place === null) return;
    const { iteration, selection } = place;
    if (iteration !== null && iteration !== view.number && run.iterations.includes(iteration)) {
      assign({ iteration });
      return;
    }
    useAskedPlace.setState({ place: null });
    time.move(() => place.view);
    if (selection === null || (selection.kind === 'row' && selection.row >= run.run.trace.count)) return;
    select('run' in selection ? { ...selection, run: run.id } : selection);
  }, [place, run, view, time]);
}

/** Scrolls to a requested row. */
function useRevealed(run: LoadedRun, time: TimeWindow): void {
  const revealed = useApp((state) => state.revealed);
  const seen = useRef(revealed?.times ?? 0);
  useEffect(() => {
    if (revealed === null || revealed.run !== run.id || seen.current === revealed.times) return;
    seen.current = revealed.times;
    const start = run.run.trace.columns.startNs[revealed.row] ?? 0;
    time.move((shown, limits) => revealIn(shown, start, rowEndNs(run.run.trace, revealed.row), limits));
  }, [revealed, run, time]);
}

/** Scrolls to the opened note: its iteration first, then its time. */
function useShownNote(run: LoadedRun, view: IterationView, time: TimeWindow): void {
  const { notes, active } = useRunNotes(run.id);
  const latest = useRef(notes);
  latest.current = notes;
  const seen = useRef(active?.times ?? 0);
  useEffect(() => {
    const note = latest.current.find(({ id }) => id === active?.id);
    if (active === null || note === undefined || seen.current === active.times) return;
    if (note.iteration !== view.number) {
      if (run.iterations.includes(note.iteration)) assign({ iteration: note.iteration, selection: null });
      return;
    }
    seen.current = active.times;
    const { startNs, endNs, row } = note;
    if (row !== null && row < run.run.trace.count) select({ kind: 'row', run: run.id, row });
    else if (endNs > startNs) select({ kind: 'area', run: run.id, startNs, endNs });
    time.move((shown, limits) => revealIn(shown, startNs, endNs, limits));
  }, [active, run, view, time]);
}
