/** The marks and notes on open runs in this window, and the history of each run's. */
import { create } from 'zustand';
import type { ErrorInfo } from '../../../core/errors.ts';
import type { RunNote } from '../../../core/trace/notes.ts';
import { isPrediction } from '../../store/select.ts';
import { recall, remember } from '../../store/settings.ts';
import { NoteHistory } from './noteHistory.ts';

/** Whether the list of notes is open; kept between visits. */
const useOpen = create<{ readonly open: boolean }>()(() => ({ open: recall('notes-open') === 'yes' }));

export const useNotesOpen = (): boolean => useOpen((state) => state.open);

export function openNotes(open: boolean): void {
  useOpen.setState({ open });
  remember('notes-open', open ? 'yes' : 'no');
}

interface NotesOfRun {
  /** Notes in order of iteration and time. */
  readonly notes: readonly RunNote[];
  /** Reason why saved notes can't be read, or null. */
  readonly problem: ErrorInfo | null;
  /** The note that was opened last, and the number of openings, so that opening it again scrolls again. */
  readonly active: { readonly id: string; readonly times: number } | null;
  /** The note being edited. */
  readonly editing: string | null;
}

const none: NotesOfRun = { notes: [], problem: null, active: null, editing: null };

const useAll = create<Readonly<Record<string, NotesOfRun>>>()(() => ({}));
const histories = new Map<string, NoteHistory>();

export const useRunNotes = (run: string): NotesOfRun => useAll((all) => all[run] ?? none);
export const notesOf = (run: string): NotesOfRun => useAll.getState()[run] ?? none;

/** Returns true if the run keeps notes. A prediction doesn't, since each edit makes it again. */
export const keepsNotes = (run: string): boolean => !isPrediction(run);

export function set(run: string, change: Partial<NotesOfRun>): void {
  useAll.setState((all) => ({ ...all, [run]: { ...(all[run] ?? none), ...change } }));
}

/** Returns true if the notes on a run have been read or written. */
export const hasHistory = (run: string): boolean => histories.has(run);

export function historyOf(run: string): NoteHistory {
  const known = histories.get(run) ?? new NoteHistory(notesOf(run).notes);
  histories.set(run, known);
  return known;
}

export function beginHistory(run: string, notes: readonly RunNote[]): void {
  histories.set(run, new NoteHistory(inOrder(notes)));
  set(run, { notes: historyOf(run).notes });
}

export const inOrder = (notes: readonly RunNote[]): RunNote[] =>
  [...notes].sort((a, b) => a.iteration - b.iteration || a.startNs - b.startNs || a.endNs - b.endNs);

/** Shows a note in the lanes. */
export function goToNote(run: string, id: string): void {
  set(run, { active: { id, times: (notesOf(run).active?.times ?? 0) + 1 } });
}

/** Opens the text of a note for editing; null closes it. */
export const editNote = (run: string, id: string | null): void => set(run, { editing: id });

export function forgetRun(run: string): void {
  histories.delete(run);
  useAll.setState((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== run)), true);
}
