/** Commands of the timeline; most keys are Perfetto's. A command returns false if it leaves its key to others. */
import { IconArrowAutofitWidth, IconZoomIn, IconZoomOut } from '@tabler/icons-react';
import { type RowRange, rowEndNs } from '../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../core/trace/trace.ts';
import { type Command, commands } from '../commands/command.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { missedIn, neighbourMissed } from '../store/opened/missed.ts';
import { isOfPresent } from '../store/select.ts';
import { select, state } from '../store/store.ts';
import { acrossLanes, alongLane, firstRow } from './rows/neighbours.ts';
import { fitView, panBy, revealIn, spanNs, type TimeView, zoomAnchor, zoomAt } from './time/timeView.ts';
import type { SharedTime } from './time/timeWindow.ts';
import { layoutTracks } from './tracks/layout.ts';
import { arrangementOf } from './tracks/useArrangement.ts';

/** The part of a timeline that moves of the view need. */
interface Seen {
  readonly time: Pick<SharedTime, 'move'> & { readonly cursor?: number | null };
  /** Returns the time range of the selection; left out in the comparison, which fits everything. */
  readonly extent?: () => TimeView | null;
}

/** The shown iteration of a run. */
export interface Shown extends Seen {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: SharedTime;
}

const zoomStep = 0.8;
const panStep = 0.12;

const zoom =
  (factor: number) =>
  ({ time, extent }: Seen): void =>
    time.move((view, limits) => zoomAt(view, time.cursor ?? zoomAnchor(view, extent?.() ?? null), factor, limits));

const pan =
  (share: number) =>
  ({ time }: Seen): void =>
    time.move((view, limits) => panBy(view, share * spanNs(view), limits));

/** They work in the comparison too. */
export const viewCommands = commands<[shown: Seen], 'zoomIn' | 'zoomOut' | 'left' | 'right' | 'fit'>('View', {
  zoomIn: {
    name: 'Zoom in',
    help: 'Zoom in at the pointer, else at the selection',
    keys: ['W'],
    icon: IconZoomIn,
    run: zoom(zoomStep),
  },
  zoomOut: { name: 'Zoom out', keys: ['S'], icon: IconZoomOut, run: zoom(1 / zoomStep) },
  left: { name: 'Pan left', keys: ['A', 'ArrowLeft'], run: pan(-panStep) },
  right: { name: 'Pan right', keys: ['D', 'ArrowRight'], run: pan(panStep) },
  fit: {
    name: 'Fit everything',
    help: 'Fit the selection; again: fit everything',
    keys: ['F'],
    icon: IconArrowAutofitWidth,
    run: ({ time, extent }) => fitSelection(extent?.() ?? null, time),
  },
});

export const sumUpWhole = { name: 'Sum up the whole run', keys: ['mod A'] };

export const timelineCommands: readonly Command<[shown: Shown]>[] = [
  ...Object.values(viewCommands),
  ...Object.values(
    commands<[shown: Shown]>('Timeline', {
      next: { name: 'Next activity in the lane', keys: ['.'], run: along(1) },
      previous: { name: 'Previous activity in the lane', keys: [','], run: along(-1) },
      above: { name: 'Lane above', keys: ['ArrowUp'], run: across(-1) },
      below: { name: 'Lane below', keys: ['ArrowDown'], run: across(1) },
      effect: { name: 'To what it leads to', keys: [']'], run: (shown) => follow(shown, 'forward') },
      cause: { name: 'Back to what led to it', keys: ['['], run: (shown) => follow(shown, 'back') },
      during: {
        name: 'Sum up what ran while the selected one did',
        keys: ['R'],
        run: ({ run, extent }) => selectStretch(run, extent?.() ?? { startNs: 0, endNs: 0 }),
      },
      whole: {
        ...sumUpWhole,
        // Elsewhere it selects the text or the operations there.
        run: ({ run, view }) => areLanesFocused() && selectStretch(run, { startNs: 0, endNs: view.makespanNs }),
      },
      missed: { name: 'Next missed overlap', keys: ['V'], run: (shown) => stepMissed(shown, 1) },
      missedBefore: { name: 'Previous missed overlap', keys: ['shift V'], run: (shown) => stepMissed(shown, -1) },
      search: { name: 'Search; Enter and Shift+Enter go on', keys: ['/'], run: focusSearch },
      nothing: { name: 'Select nothing', keys: ['Escape'], run: selectNothing },
    }),
  ),
];

function areLanesFocused(): boolean {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.closest('[data-timeline]') != null;
}

function focusSearch(): boolean {
  const input = document.querySelector<HTMLInputElement>('[data-timeline] [data-search]');
  input?.focus();
  input?.select();
  return input !== null;
}

function selectNothing(): boolean {
  if (state().selection === null) return false;
  select(null);
  return true;
}

/** Selects a time range, whose activities the inspector lists by name. */
export function selectStretch(run: LoadedRun, { startNs, endNs }: TimeView): boolean {
  if (endNs > startNs) select({ kind: 'area', run: run.id, startNs, endNs });
  return endNs > startNs;
}

/** Returns the lanes of rows as drawn, without hidden ones. */
function rowLanes(run: LoadedRun, view: IterationView): number[] {
  const { tracks } = layoutTracks(view, { height: 0, arrangement: arrangementOf(run) });
  return tracks.flatMap((track) =>
    track.kind === 'lane' && (track.lane.kind === 'host-thread' || track.lane.kind === 'stream') ? [track.number] : [],
  );
}

/** Selects the row that `next` returns for the selected row, or the first row if none is selected. */
function step({ run, view, time }: Shown, next: (row: RowIndex) => RowIndex | null): void {
  const { selection } = state();
  const from = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const row = from === null ? firstRow(run.run.trace, view.rows, rowLanes(run, view)) : next(from);
  if (row !== null) goTo(row, run, time);
}

function along(way: 1 | -1) {
  return (shown: Shown): void => step(shown, (row) => alongLane(shown.run.run.trace, shown.view.rows, row, way));
}

function across(way: 1 | -1) {
  return (shown: Shown): void => {
    const { run, view } = shown;
    step(shown, (row) => acrossLanes(run.run.trace, view.rows, row, way, rowLanes(run, view)));
  };
}

function goTo(row: RowIndex, run: LoadedRun, time: Seen['time']): void {
  select({ kind: 'row', run: run.id, row });
  const start = run.run.trace.columns.startNs[row] ?? 0;
  time.move((shown, limits) => revealIn(shown, start, rowEndNs(run.run.trace, row), limits));
}

/** Goes to the next or previous missed overlap; false if the shown iteration has none. */
export function stepMissed(
  { run, view, time }: Pick<Shown, 'run' | 'view'> & Pick<Seen, 'time'>,
  way: 1 | -1,
): boolean {
  const { selection } = state();
  const from = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const row = neighbourMissed(missedIn(run, view), from, way);
  if (row !== null) goTo(row, run, time);
  return row !== null;
}

/** Follows the flow of the selected row to its effect or its cause. */
function follow(shown: Shown, way: 'forward' | 'back'): boolean {
  const { selection } = state();
  if (selection?.kind !== 'row' || selection.run !== shown.run.id) return false;
  const flows = shown.view.flows(selection.row);
  const next =
    way === 'forward'
      ? flows.find(({ from }) => from === selection.row)?.to
      : flows.find(({ to }) => to === selection.row)?.from;
  step(shown, () => next ?? null);
  return true;
}

/** Fits the selection, or everything if it is fitted already or there is none. */
function fitSelection(extent: TimeView | null, time: Seen['time']): void {
  time.move((view, limits) => {
    if (extent === null) return limits;
    const fitted = fitView(extent.startNs, extent.endNs, limits);
    const slack = spanNs(fitted) * 0.001;
    const isFitted = Math.abs(view.startNs - fitted.startNs) < slack && Math.abs(view.endNs - fitted.endNs) < slack;
    return isFitted ? limits : fitted;
  });
}

/** Returns the time range of the selection, or null if it has none in the shown iteration. */
export function selectedExtent(run: LoadedRun, view: IterationView): TimeView | null {
  const { selection } = state();
  const { trace } = run.run;
  if (selection?.kind === 'op') {
    const op = isOfPresent(state(), run) ? run.opOf(selection.id) : null;
    return op === null ? null : extentOf(trace, view.rows, op);
  }
  if (selection?.kind === 'area' && selection.run === run.id) return selection;
  if (selection?.kind === 'rows' && selection.run === run.id) return spanOf(trace, selection.rows);
  if (selection?.kind !== 'row' || selection.run !== run.id) return null;
  return { startNs: trace.columns.startNs[selection.row] ?? 0, endNs: rowEndNs(trace, selection.row) };
}

/** Returns the range from the first row of an operation to the end of its last. */
function extentOf(trace: Trace, { from, to }: RowRange, op: number): TimeView | null {
  const rows: number[] = [];
  for (let row = from; row < to; row += 1) if (trace.columns.op[row] === op) rows.push(row);
  return spanOf(trace, rows);
}

function spanOf(trace: Trace, rows: readonly number[]): TimeView | null {
  let [startNs, endNs] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const row of rows) {
    startNs = Math.min(startNs, trace.columns.startNs[row] ?? 0);
    endNs = Math.max(endNs, rowEndNs(trace, row));
  }
  return startNs <= endNs ? { startNs, endNs } : null;
}
