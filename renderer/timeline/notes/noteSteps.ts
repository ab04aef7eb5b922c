/** Steps on the notes of a run: marks, written notes, and the way from one to the next. */
import type { RunNote } from '../../../core/trace/notes.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import { formatDuration } from '../../../core/units.ts';
import { type Command, commands, historyKeys, shownKeys } from '../../commands/command.ts';
import { announce } from '../../store/notify.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { state } from '../../store/store.ts';
import type { Shown } from '../commands.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import { addNote, editNote, goToNote, notesOf, openNotes, travelNotes } from './notes.ts';

export const noteCommands: readonly Command<[shown: Shown]>[] = Object.values(
  commands<[shown: Shown]>('Notes', {
    mark: { name: 'Mark what is selected, or the time under the pointer', keys: ['M'], run: mark },
    write: { name: 'Write a note on it', keys: ['N'], run: writeOn },
    next: { name: 'Next note', keys: ['>'], run: (shown) => stepNote(shown, 1) },
    previous: { name: 'Previous note', keys: ['<'], run: (shown) => stepNote(shown, -1) },
    // These take the keys of the document's own undo if a note was changed last.
    undo: { name: 'Undo the last note', keys: historyKeys.undo, run: ({ run }) => travelNotes(run.id, 'undo') },
    redo: { name: 'Redo it', keys: historyKeys.redo, run: ({ run }) => travelNotes(run.id, 'redo') },
  }),
);

function mark({ run, view, time }: Shown): void {
  const made = addNote(run.id, { ...placeOf(run, view, time), text: '' });
  if (made !== null) announce(`Marked ${whenOf(made)}. ${shownKeys('mod Z')} undoes it.`);
}

/** Adds a note on the selection, and opens its text for editing. */
export function writeOn({ run, view, time }: Shown): void {
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
function stepNote({ run, view }: Shown, way: 1 | -1): void {
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
