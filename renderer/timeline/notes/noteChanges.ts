/** Changes of notes: each is a step that can be undone, and is saved at once. */
import { mostNotes, type RunNote } from '../../../core/trace/notes.ts';
import { announce } from '../../store/notify.ts';
import { watch } from '../../store/store.ts';
import { randomUuid, save } from './noteSaves.ts';
import { hasHistory, historyOf, inOrder, keepsNotes, notesOf, set } from './noteState.ts';

/** The run whose notes were changed last; null after any other change. Ctrl+Z then undoes that change. */
let changedLast: string | null = null;

export function change(run: string, step: string, notes: readonly RunNote[]): void {
  historyOf(run).push(step, inOrder(notes));
  changedLast = run;
  show(run);
}

/** Replaces the notes of the last step. */
export function amend(run: string, notes: readonly RunNote[]): void {
  historyOf(run).amend(inOrder(notes));
  show(run);
}

/** Removes the last step, as if it had not been made. */
export function withdraw(run: string): void {
  historyOf(run).withdraw();
  show(run);
}

/** Shows a history's present, and saves it. */
function show(run: string): void {
  set(run, { notes: historyOf(run).notes });
  save(run);
}

/** Adds a note, or returns the existing one at the same place; null if no more fit, or the run keeps none. */
export function addNote(run: string, note: Omit<RunNote, 'id'>): RunNote | null {
  if (!keepsNotes(run)) {
    announce('A prediction keeps no notes. Run it first.');
    return null;
  }
  const { notes } = notesOf(run);
  const same = notes.find(
    ({ iteration, startNs, endNs, row }) =>
      iteration === note.iteration && startNs === note.startNs && endNs === note.endNs && row === note.row,
  );
  if (same !== undefined) return same;
  if (notes.length >= mostNotes) {
    announce(`A run keeps ${mostNotes} notes. Delete some first.`);
    return null;
  }
  const made = { ...note, id: randomUuid() };
  change(run, note.text === '' && note.row === null ? 'Mark' : 'Add a note', [...notes, made]);
  return made;
}

export function deleteNote(run: string, id: string): void {
  change(
    run,
    'Delete a note',
    notesOf(run).notes.filter((one) => one.id !== id),
  );
  announce('The note is deleted. Ctrl+Z brings it back.');
}

/** Returns true if the last change of all was one of this run's notes, which undo then reverts. */
export const wereNotesLast = (run: string): boolean => changedLast === run;

/** Undoes or redoes the last change of the notes. Returns false if there is none. */
export function travelNotes(run: string, way: 'undo' | 'redo'): boolean {
  const step = hasHistory(run) ? historyOf(run).travel(way) : null;
  if (step === null) return false;
  show(run);
  announce(`${way === 'undo' ? 'Undone' : 'Done again'}: ${step}`);
  return true;
}

watch((now, before) => {
  if (now.edits !== before.edits) changedLast = null;
});
