/** Perfetto's keys. They work wherever the focus is, except in text fields, lists and menus that use them. */
import { useEffect, useRef } from 'react';
import { type RowRange, rowEndNs } from '../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../core/trace/trace.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { missedIn, neighbourMissed } from '../store/opened/missed.ts';
import { isOfPresent } from '../store/select.ts';
import { select, state } from '../store/store.ts';
import { acrossLanes, alongLane, firstRow } from './rows/neighbours.ts';
import { fitView, panBy, revealIn, spanNs, type TimeView, zoomAnchor, zoomAt } from './time/timeView.ts';
import type { SharedTime } from './time/timeWindow.ts';
import { layoutTracks } from './tracks/layout.ts';
import { arrangementOf } from './tracks/useArrangement.ts';

const zoomStep = 0.8;
const panStep = 0.12;

export function useTimelineKeys(run: LoadedRun, view: IterationView, time: SharedTime): void {
  const latest = useRef({ run, view, time });
  latest.current = { run, view, time };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented || takesKeys(event)) return;
      const { run, view, time } = latest.current;
      if (event.ctrlKey || event.metaKey) {
        if (event.key !== 'a' || !isOfLanes(event.target)) return;
        event.preventDefault();
        selectStretch(run, { startNs: 0, endNs: view.makespanNs });
        return;
      }
      const selected = (): TimeView | null => selectedExtent(run, view);
      if (moveTime(event.key, time, selected) || moveSelection(event.key, run, view, time)) event.preventDefault();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** Returns true if the focused element uses the key itself. */
export function takesKeys({ target, key }: Pick<KeyboardEvent, 'target' | 'key'>): boolean {
  if (!(target instanceof Element)) return false;
  // The switch between lanes and table keeps the focus, but leaves letters to the lanes.
  if (target.matches('input[type="radio"], input[type="checkbox"]') && target.closest('[role="dialog"]') === null) {
    return /^( |Enter|Arrow)/.test(key);
  }
  const own =
    'input, textarea, select, [contenteditable], [role="menu"], [role="listbox"], [role="dialog"], [role="separator"]';
  return target.closest(own) !== null;
}

/** Elsewhere Ctrl+A selects the text or the operations there. */
const isOfLanes = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof Element && target.closest('[data-timeline]') !== null);

/** Selects a time range, whose activities the inspector lists by name. */
export function selectStretch(run: LoadedRun, { startNs, endNs }: TimeView): boolean {
  if (endNs > startNs) select({ kind: 'area', run: run.id, startNs, endNs });
  return endNs > startNs;
}

/** Handles keys that move only the view, also in the comparison. */
export function moveTime(key: string, time: SharedTime, selected: () => TimeView | null = () => null): boolean {
  const change = viewChange(key, time.cursor, selected);
  if (change !== null) time.move(change);
  return change !== null;
}

type ViewChange = (view: TimeView, limits: TimeView) => TimeView;

function viewChange(key: string, cursor: number | null, selected: () => TimeView | null): ViewChange | null {
  const zoom =
    (factor: number): ViewChange =>
    (view, limits) =>
      zoomAt(view, cursor ?? zoomAnchor(view, selected()), factor, limits);
  const pan =
    (share: number): ViewChange =>
    (view, limits) =>
      panBy(view, share * spanNs(view), limits);
  switch (key.toLowerCase()) {
    case 'w':
      return zoom(zoomStep);
    case 's':
      return zoom(1 / zoomStep);
    case 'a':
    case 'arrowleft':
      return pan(-panStep);
    case 'd':
    case 'arrowright':
      return pan(panStep);
    default:
      return null;
  }
}

function moveSelection(key: string, run: LoadedRun, view: IterationView, time: SharedTime): boolean {
  switch (key) {
    case 'f':
    case 'F':
      fitSelection(selectedExtent(run, view), time);
      return true;
    case 'r':
    case 'R':
      return selectStretch(run, selectedExtent(run, view) ?? { startNs: 0, endNs: 0 });
    case '.':
      return step(run, view, time, (row) => alongLane(run.run.trace, view.rows, row, 1));
    case ',':
      return step(run, view, time, (row) => alongLane(run.run.trace, view.rows, row, -1));
    case 'ArrowDown':
      return step(run, view, time, (row) => acrossLanes(run.run.trace, view.rows, row, 1, rowLanes(run, view)));
    case 'ArrowUp':
      return step(run, view, time, (row) => acrossLanes(run.run.trace, view.rows, row, -1, rowLanes(run, view)));
    case ']':
      return follow(run, view, time, 'forward');
    case '[':
      return follow(run, view, time, 'back');
    case 'v':
      return stepMissed(run, view, time, 1);
    case 'V':
      return stepMissed(run, view, time, -1);
    case 'Escape':
      if (state().selection === null) return false;
      select(null);
      return true;
    default:
      return false;
  }
}

/** Returns the lanes of rows as drawn, without hidden ones. */
function rowLanes(run: LoadedRun, view: IterationView): number[] {
  const { tracks } = layoutTracks(view, { height: 0, arrangement: arrangementOf(run) });
  return tracks.flatMap((track) =>
    track.kind === 'lane' && (track.lane.kind === 'host-thread' || track.lane.kind === 'stream') ? [track.number] : [],
  );
}

/** Selects the row that `next` returns for the selected row, or the first row if none is selected. */
function step(
  run: LoadedRun,
  view: IterationView,
  time: SharedTime,
  next: (row: RowIndex) => RowIndex | null,
): boolean {
  const { selection } = state();
  const from = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const row = from === null ? firstRow(run.run.trace, view.rows, rowLanes(run, view)) : next(from);
  if (row !== null) goTo(row, run, time);
  return true;
}

type Mover = Pick<SharedTime, 'move'>;

function goTo(row: RowIndex, run: LoadedRun, time: Mover): void {
  select({ kind: 'row', run: run.id, row });
  const start = run.run.trace.columns.startNs[row] ?? 0;
  time.move((shown, limits) => revealIn(shown, start, rowEndNs(run.run.trace, row), limits));
}

/** Goes to the next or previous missed overlap; false if the shown iteration has none. */
export function stepMissed(run: LoadedRun, view: IterationView, time: Mover, way: 1 | -1): boolean {
  const { selection } = state();
  const from = selection?.kind === 'row' && selection.run === run.id ? selection.row : null;
  const row = neighbourMissed(missedIn(run, view), from, way);
  if (row !== null) goTo(row, run, time);
  return row !== null;
}

/** Follows the flow of the selected row to its effect or its cause. */
function follow(run: LoadedRun, view: IterationView, time: SharedTime, way: 'forward' | 'back'): boolean {
  const { selection } = state();
  if (selection?.kind !== 'row' || selection.run !== run.id) return false;
  const flows = view.flows(selection.row);
  const next =
    way === 'forward'
      ? flows.find(({ from }) => from === selection.row)?.to
      : flows.find(({ to }) => to === selection.row)?.from;
  return step(run, view, time, () => next ?? null);
}

/** Fits the selection, or everything if it is fitted already or there is none. */
function fitSelection(extent: TimeView | null, time: SharedTime): void {
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
