/** M marks the selection, N writes a note on it, < and > go from note to note, Ctrl+Z undoes the last note. */
import { useEffect, useRef } from 'react';
import type { RunNote } from '../../../core/trace/notes.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import { formatDuration } from '../../../core/units.ts';
import { announce } from '../../store/notify.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { state } from '../../store/store.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import { takesKeys } from '../useTimelineKeys.ts';
import { addNote, travelNotes, wereNotesLast } from './noteChanges.ts';
import { editNote, goToNote, notesOf, openNotes } from './noteState.ts';

export function useNoteKeys(run: LoadedRun, view: IterationView, time: SharedTime): void {
  const latest = useRef({ run, view, time });
  latest.current = { run, view, time };
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.altKey || event.defaultPrevented || takesKeys(event)) return;
      const { run, view, time } = latest.current;
      const used = event.ctrlKey || event.metaKey ? undoKey(event, run) : noteKey(event.key, run, view, time);
      if (!used) return;
      event.preventDefault();
      event.stopPropagation();
    };
    // Runs before the document's own undo.
    window.addEventListener('keydown', onKey, { capture: true });
    return () => window.removeEventListener('keydown', onKey, { capture: true });
  }, []);
}

function undoKey(event: KeyboardEvent, { id }: LoadedRun): boolean {
  const key = event.key.toLowerCase();
  if (key !== 'z' && key !== 'y') return false;
  const way = key === 'y' || event.shiftKey ? 'redo' : 'undo';
  return wereNotesLast(id) && travelNotes(id, way);
}

function noteKey(key: string, run: LoadedRun, view: IterationView, time: SharedTime): boolean {
  switch (key) {
    case 'm':
    case 'M':
      mark(run, view, time);
      return true;
    case 'n':
    case 'N':
      writeOn(run, view, time);
      return true;
    case '>':
      step(run, view, 1);
      return true;
    case '<':
      step(run, view, -1);
      return true;
    default:
      return false;
  }
}

function mark(run: LoadedRun, view: IterationView, time: SharedTime): void {
  const made = addNote(run.id, { ...placeOf(run, view, time), text: '' });
  if (made !== null) announce(`Marked ${whenOf(made)}. Ctrl+Z takes it back.`);
}

/** Adds a note on the selection, and opens its text for editing. */
export function writeOn(run: LoadedRun, view: IterationView, time: SharedTime): void {
  const made = addNote(run.id, { ...placeOf(run, view, time), text: '' });
  if (made === null) return;
  openNotes(true);
  editNote(run.id, made.id);
}

/** Returns the selection; else the time under the pointer, or the middle of the visible range. */
function placeOf(run: LoadedRun, view: IterationView, time: SharedTime): Omit<RunNote, 'id' | 'text'> {
  const { selection } = state();
  const iteration = view.number;
  if (selection?.kind === 'row' && selection.run === run.id) {
    const { trace } = run.run;
    const startNs = trace.columns.startNs[selection.row] ?? 0;
    return { iteration, startNs, endNs: rowEndNs(trace, selection.row), row: selection.row };
  }
  if (selection?.kind === 'area' && selection.run === run.id) {
    return { iteration, startNs: selection.startNs, endNs: selection.endNs, row: null };
  }
  const now = Math.max(0, Math.round(time.cursor ?? (time.view.startNs + time.view.endNs) / 2));
  return { iteration, startNs: now, endNs: now, row: null };
}

export const whenOf = ({ startNs, endNs }: RunNote): string =>
  endNs > startNs ? `${formatDuration(startNs)} to ${formatDuration(endNs)}` : formatDuration(startNs);

/** Goes to the next (1) or previous (-1) note of all iterations, wrapping around. */
function step(run: LoadedRun, view: IterationView, way: 1 | -1): void {
  const { notes, active } = notesOf(run.id);
  const at = notes.findIndex(({ id }) => id === active?.id);
  const first = way === 1 ? notes.findIndex(({ iteration }) => iteration >= view.number) : -1;
  const next = at < 0 ? notes.at(first) : notes[(at + way + notes.length) % notes.length];
  if (next === undefined) {
    announce('There is no note on this run. N writes one.');
    return;
  }
  goToNote(run.id, next.id);
  announce(`Note at ${whenOf(next)}${next.text === '' ? '' : `: ${next.text}`}`);
}
