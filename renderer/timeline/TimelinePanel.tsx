/** The timeline of the shown run: which run and iteration, lanes or table, and everything the keys do. */
import {
  ActionIcon,
  Button,
  Group,
  Loader,
  SegmentedControl,
  Select,
  Text,
  Tooltip,
  VisuallyHidden,
} from '@mantine/core';
import { IconAlertTriangle, IconArrowAutofitWidth, IconPlayerPlay, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { memo, useEffect, useMemo, useRef } from 'react';
import type { ErrorInfo } from '../../core/errors.ts';
import { type RunSummary, runTitle } from '../../core/service/service.ts';
import { runName } from '../../core/trace/run.ts';
import { formatDuration } from '../../core/units.ts';
import { effectiveEngine } from '../app/engines.ts';
import type { IterationView, LoadedRun } from '../app/loadedRun.ts';
import { pickRun, retryRun, select } from '../app/store/actions.ts';
import { currentEngineOptions, loadedRun, ranOn, runsOfPage, shownRunId } from '../app/store/select.ts';
import { assign, Following, useApp } from '../app/store/store.ts';
import { useDerived } from '../app/store/useDerived.ts';
import { RunCharts } from '../charts/RunCharts.tsx';
import { EmptyState } from '../common/EmptyState.tsx';
import { ErrorText } from '../common/ErrorText.tsx';
import { OriginBadge } from '../common/Origin.tsx';
import { formatDay, formatMoment } from '../common/time.ts';
import type { HazardsByOp } from '../inspector/hazardsByOp.ts';
import { rowSentence } from './describeRow.ts';
import { LanesButton } from './LanesButton.tsx';
import { LanesView } from './LanesView.tsx';
import { Legend } from './Legend.tsx';
import { missedIn } from './missed.ts';
import { NotesButton } from './notes/NotesButton.tsx';
import { NotesPanel } from './notes/NotesPanel.tsx';
import { useRunNotes } from './notes/noteState.ts';
import { useNotesOpen } from './notes/notesPanelState.ts';
import { useNoteKeys, writeOn } from './notes/useNoteKeys.ts';
import { operationLabels } from './operationLabels.ts';
import { RowsTable } from './RowsTable.tsx';
import { SearchBox } from './SearchBox.tsx';
import classes from './TimelinePanel.module.css';
import { revealIn, zoomAnchor, zoomAt } from './timeView.ts';
import { type TimeWindow, useTimeWindow } from './timeWindow.ts';
import { useHazardOps } from './useHazardOps.ts';
import { selectedExtent, stepMissed, useTimelineKeys } from './useTimelineKeys.ts';

export function TimelinePanel() {
  const id = useApp(shownRunId);
  const run = useApp((state) => loadedRun(state, id));
  return (
    <section className={classes['panel']} aria-label="Timeline">
      {run === null ? <NoTimeline id={id} /> : <RunTimeline key={run.id} run={run} />}
    </section>
  );
}

function RunTimeline({ run }: { readonly run: LoadedRun }) {
  const iteration = useApp((state) => state.iteration);
  const as = useApp((state) => state.timelineAs);
  const view = useMemo(() => run.view(iteration), [run, iteration]);
  const time = useTimeWindow(view.makespanNs);
  const mover = useMover(time);
  const first = useRef(run).current;
  const title = runName(run.run.info);
  useTimelineKeys(run, view, time);
  useNoteKeys(run, view, time);
  useShownNote(run, view, time);
  const notesOpen = useNotesOpen();
  return (
    <>
      <Following>
        <Toolbar first={first} time={mover} />
      </Following>
      <div className={classes['body']}>
        <div className={classes['main']}>
          {view.rows.to === view.rows.from ? (
            <NothingRecorded run={run} />
          ) : as === 'table' ? (
            <RowsTable run={run} view={view} />
          ) : as === 'charts' ? (
            <RunCharts run={run} />
          ) : (
            <LanesView run={run} view={view} window={time} title={title} />
          )}
        </div>
        {as === 'lanes' && notesOpen ? <NotesPanel run={run} onAdd={() => writeOn(run, view, time)} /> : null}
      </div>
      <Following>
        <Foot first={first} time={mover} />
      </Following>
    </>
  );
}

/** Moves whichever window of time is shown: a new one comes with each run. */
function useMover(time: TimeWindow): Mover {
  const latest = useRef(time);
  latest.current = time;
  return useMemo(() => ({ move: (change) => latest.current.move(change) }), []);
}

type Mover = Pick<TimeWindow, 'move'>;

interface FollowingProps {
  /** The run as it was when its timeline was opened. */
  readonly first: LoadedRun;
}

/** The run that is shown, as those see it who follow a frame later. */
function useFollowedRun({ first }: FollowingProps): { readonly run: LoadedRun; readonly view: IterationView } {
  const run = useApp((state) => loadedRun(state, first.id)) ?? first;
  const iteration = useApp((state) => state.iteration);
  return useMemo(() => ({ run, view: run.view(iteration) }), [run, iteration]);
}

interface ToolbarProps extends FollowingProps {
  readonly time: Mover;
}

const Foot = memo(function Foot({ time, ...props }: ToolbarProps) {
  const { run, view } = useFollowedRun(props);
  const as = useApp((state) => state.timelineAs);
  const views = useMemo(() => [view], [view]);
  const hazards = useHazardOps(run).size > 0;
  const missed = missedIn(run, view).size;
  const onMissed = (): void => void stepMissed(run, view, time, 1);
  return (
    <>
      {as === 'lanes' && view.rows.to > view.rows.from ? (
        <Legend views={views} hazards={hazards} missed={missed} onMissed={onMissed} />
      ) : null}
      <Announcer run={run} />
    </>
  );
});

/** Brings the note that was gone to into view: its iteration first, then its time. */
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

const Toolbar = memo(function Toolbar({ time, ...props }: ToolbarProps) {
  const { run, view } = useFollowedRun(props);
  const as = useApp((state) => state.timelineAs);
  const summary = useApp((state) => state.runs[run.id]);
  const zoom = (factor: number): void =>
    time.move((shown, limits) => zoomAt(shown, zoomAnchor(shown, selectedExtent(run, view)), factor, limits));
  return (
    <div className={classes['toolbar']} role="toolbar" aria-label="Timeline tools">
      {run.run.info.status === 'complete' ? <h2 className={classes['word'] ?? ''}>Timeline</h2> : <h2>Partial</h2>}
      {summary === undefined ? null : <OriginBadge origin={summary.origin} />}
      <RunPicker run={run} />
      <IterationPicker run={run} />
      <span className={classes['space']}>
        <Provenance run={run} />
      </span>
      <SearchBox run={run} view={view} time={time} />
      {as === 'lanes' ? (
        <>
          <span className={classes['break']} />
          <div className={classes['tools']}>
            <NotesButton run={run} />
            <LanesButton run={run} view={view} />
            <Tool label="Zoom out (S)" onClick={() => zoom(1.5)} icon={<IconZoomOut size={16} />} />
            <Tool label="Zoom in (W)" onClick={() => zoom(1 / 1.5)} icon={<IconZoomIn size={16} />} />
            <Tool
              label="Fit everything (F)"
              onClick={() => time.move((_, limits) => limits)}
              icon={<IconArrowAutofitWidth size={16} />}
            />
          </div>
        </>
      ) : null}
      <SegmentedControl
        size="xs"
        aria-label="Show as"
        value={as}
        onChange={(value) => assign({ timelineAs: value === 'table' || value === 'charts' ? value : 'lanes' })}
        data={[
          { value: 'lanes', label: 'Lanes' },
          { value: 'table', label: 'Table' },
          { value: 'charts', label: 'Charts' },
        ]}
      />
    </div>
  );
});

/** Of a recording, where and when; of other runs, whether they come from another engine than the one picked. */
function Provenance({ run }: { readonly run: LoadedRun }) {
  const engine = useDerived((state) => effectiveEngine(currentEngineOptions(state), state.engine));
  const summary = useApp((state) => state.runs[run.id]);
  if (summary === undefined) return null;
  const words =
    summary.origin === 'recorded'
      ? `${summary.device}, ${formatDay(summary.createdAt)}`
      : engine === null || ranOn(summary, engine)
        ? null
        : 'another engine’s run';
  return words === null ? null : <span title={words}>{words}</span>;
}

interface ToolProps {
  readonly label: string;
  readonly onClick: () => void;
  readonly icon: React.ReactNode;
}

function Tool({ label, onClick, icon }: ToolProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon aria-label={label} onClick={onClick}>
        {icon}
      </ActionIcon>
    </Tooltip>
  );
}

/** The runs of this experiment, newest first. */
function RunPicker({ run }: { readonly run: LoadedRun }) {
  const runs = useDerived(runsOfPage);
  if (runs.length < 2) return null;
  return (
    <Select
      aria-label="Run shown"
      className={classes['run'] ?? ''}
      value={run.id}
      data={runs.map((one) => ({ value: one.id, label: outcome(one), disabled: one.status === 'running' }))}
      onChange={(id) => id !== null && pickRun(id)}
      comboboxProps={{ width: 290, position: 'bottom-start' }}
      renderOption={({ option }) => {
        const one = runs.find(({ id }) => id === option.value);
        return one === undefined ? option.label : <TwoParts first={runLabel(one)} second={runDetail(one)} stacked />;
      }}
    />
  );
}

const outcome = (run: RunSummary): string =>
  run.status === 'complete' && run.makespanNs !== null ? formatDuration(run.makespanNs) : run.status;

const runLabel = (run: RunSummary): string => `${outcome(run)}, ${formatMoment(run.createdAt)}`;

const runDetail = (run: RunSummary): string =>
  `${run.origin} on ${run.device}${run.engine === 'cpu' ? ' with the CPU engine' : ''}`;

function IterationPicker({ run }: { readonly run: LoadedRun }) {
  const picked = useApp((state) => state.iteration);
  const { iterations } = run;
  const { representative, recordedMakespanNs } = run.run.info.iterations;
  if (iterations.length < 2) return null;
  return (
    <Select
      aria-label="Iteration shown"
      className={classes['iteration'] ?? ''}
      value={String(picked !== null && iterations.includes(picked) ? picked : representative)}
      data={iterations.map((number) => ({
        value: String(number),
        label: `Iteration ${number + 1}`,
      }))}
      onChange={(value) => assign({ iteration: value === null ? null : Number(value), selection: null })}
      comboboxProps={{ width: 230, position: 'bottom-start' }}
      renderOption={({ option }) => {
        const makespan = recordedMakespanNs[Number(option.value)];
        const first = `${option.label}${option.value === String(representative) ? ' (typical)' : ''}`;
        return <TwoParts first={first} second={makespan === undefined ? '' : formatDuration(makespan)} />;
      }}
    />
  );
}

interface TwoPartsProps {
  readonly first: string;
  readonly second: string;
  readonly stacked?: boolean;
}

function TwoParts({ first, second, stacked = false }: TwoPartsProps) {
  return (
    <span className={`${classes['twoParts']} tabular`} data-stacked={stacked || undefined}>
      <span>{first}</span>
      <small>{second}</small>
    </span>
  );
}

/** What the lanes' signs say of a row, for those who don't see them. */
function signWords({ missed, run }: LoadedRun, row: number, hazards: HazardsByOp): string {
  const verdict = missed.get(row);
  const found = hazards.get(run.trace.columns.op[row] ?? -1) ?? [];
  const titles = [...new Set(found.map(({ title }) => ` Hazard: ${title}.`))];
  return [...(verdict === undefined ? [] : [` No overlap: ${verdict.title}.`]), ...titles].join('');
}

/** Tells screen readers what was selected. */
function Announcer({ run }: { readonly run: LoadedRun }) {
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
        : '';
  return (
    <VisuallyHidden role="status" aria-live="polite" data-testid="timeline-announcement">
      {text}
    </VisuallyHidden>
  );
}

function NothingRecorded({ run }: { readonly run: LoadedRun }) {
  const { error, status, experiment } = run.run.info;
  if (error === undefined && experiment?.threads.every(({ operations }) => operations.length === 0)) {
    return (
      <EmptyState icon={<IconPlayerPlay size={24} />} title="Nothing to run yet">
        <Text c="dimmed">Add an operation to the score: its lanes are drawn here at once.</Text>
      </EmptyState>
    );
  }
  return (
    <EmptyState
      icon={<IconAlertTriangle size={24} />}
      title={status === 'failed' ? 'This run failed' : 'Nothing was recorded'}
    >
      {error === undefined ? <Text c="dimmed">It ended before its first activity.</Text> : <ErrorText error={error} />}
    </EmptyState>
  );
}

interface UnreadableProps {
  readonly id: string;
  readonly error: ErrorInfo;
  readonly status: RunSummary['status'] | undefined;
}

/** A run that left no lanes: it failed or was cancelled early, or its file can't be read. */
function Unreadable({ id, error, status }: UnreadableProps) {
  const other = useDerived((state) => runsOfPage(state).find((run) => run.id !== id && run.status === 'complete'));
  const title =
    status === 'failed'
      ? 'This run failed'
      : status === 'cancelled'
        ? 'This run was cancelled'
        : 'This run can’t be opened';
  return (
    <EmptyState icon={<IconAlertTriangle size={24} />} title={title} alert={status !== 'cancelled'}>
      <ErrorText error={error} />
      <Group gap="xs">
        {status === 'complete' ? (
          <Button variant="default" onClick={() => retryRun(id)}>
            Try again
          </Button>
        ) : null}
        {other === undefined ? null : (
          <Button variant="default" onClick={() => pickRun(other.id)}>
            Show the run of {formatMoment(other.createdAt)}
          </Button>
        )}
      </Group>
    </EmptyState>
  );
}

/** Why there are no lanes: not run yet, still running, failed, or can't be read. */
function NoTimeline({ id }: { readonly id: string | null }) {
  const summary = useApp((state) => (id === null ? undefined : state.runs[id]));
  const loading = useApp((state) => (id === null ? undefined : state.loadedRuns[id]));
  if (loading?.status === 'failed' && id !== null) {
    return <Unreadable id={id} error={loading.error} status={summary?.status} />;
  }
  if (summary?.status === 'running') {
    return (
      <EmptyState icon={<Loader size={22} />} title="Running…">
        <Text c="dimmed">The lanes appear when it has finished.</Text>
      </EmptyState>
    );
  }
  if (id !== null) {
    return (
      <EmptyState icon={<Loader size={22} />} title="Reading the run…">
        <Text c="dimmed">{summary === undefined ? '' : runTitle(summary)}</Text>
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={<IconPlayerPlay size={24} />} title="Not run yet">
      <Text c="dimmed">
        Choose Run, or press Ctrl+Enter. The lanes of every host thread, stream and copy engine appear here.
      </Text>
    </EmptyState>
  );
}
