/** The marks and notes on open runs, changed in steps that can be undone, and saved at once. Reports show them too. */
import { temporal } from 'zundo';
import { create } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import { mostNotes, type RunNote, runNotes, sameNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { announce, notifyError } from '../../store/notify.ts';
import { isPrediction } from '../../store/select.ts';
import { recall, remember } from '../../store/settings.ts';
import { watch, withEntry } from '../../store/store.ts';

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

export const useRunNotes = (run: string): NotesOfRun => useAll((all) => all[run] ?? none);
export const notesOf = (run: string): NotesOfRun => useAll.getState()[run] ?? none;

export function set(run: string, change: Partial<NotesOfRun>): void {
  useAll.setState(({ [run]: before = none }) => ({ [run]: { ...before, ...change } }));
}

/** Returns true if the run keeps notes. A prediction doesn't, since each edit makes it again. */
export const keepsNotes = (run: string): boolean => !isPrediction(run);

/** Shows a note in the lanes. */
export function goToNote(run: string, id: string): void {
  set(run, { active: { id, times: (notesOf(run).active?.times ?? 0) + 1 } });
}

/** Opens the text of a note for editing; null closes it. */
export const editNote = (run: string, id: string | null): void => set(run, { editing: id });

/** Number of steps that can be undone. */
const mostSteps = 200;

/** Returns a history in which every step has a name. */
const newHistory = (notes: readonly RunNote[]) =>
  createStore<{ readonly notes: readonly RunNote[]; readonly step: string }>()(
    temporal(() => ({ notes, step: 'Open' }), { limit: mostSteps }),
  );

const histories = new Map<string, ReturnType<typeof newHistory>>();
/** The run whose notes were changed last; null after any other change. Ctrl+Z then undoes that change. */
let changedLast: string | null = null;

watch((now, before) => {
  if (now.edits !== before.edits) changedLast = null;
});

const inOrder = (notes: readonly RunNote[]): RunNote[] =>
  [...notes].sort((a, b) => a.iteration - b.iteration || a.startNs - b.startNs || a.endNs - b.endNs);

export function beginHistory(run: string, notes: readonly RunNote[]): void {
  const ordered = inOrder(notes);
  histories.set(run, newHistory(ordered));
  set(run, { notes: ordered });
}

function change(run: string, step: string, next: readonly RunNote[]): void {
  const history = histories.get(run) ?? newHistory(notesOf(run).notes);
  histories.set(run, history);
  const notes = inOrder(next);
  history.setState({ notes, step });
  changedLast = run;
  set(run, { notes });
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

const withText = (run: string, id: string, text: string): RunNote[] =>
  notesOf(run).notes.map((one) => (one.id === id ? { ...one, text } : one));

/** Saves a text while it is typed, since a window that closes sends nothing more. Undo knows only what is written. */
export function typeNote(run: string, id: string, text: string): void {
  set(run, { notes: withText(run, id, text) });
  save(run);
}

/** Ends the editing of a note, and keeps its text. */
export function writeNote(run: string, { id, text: before }: RunNote, text: string): void {
  editNote(run, null);
  if (text !== before) change(run, 'Write a note', withText(run, id, text));
}

export function deleteNote(run: string, id: string): void {
  const left = notesOf(run).notes.filter((one) => one.id !== id);
  change(run, 'Delete a note', left);
  announce('The note is deleted. Ctrl+Z brings it back.');
}

/** Undoes or redoes the last change of the notes. Returns false if another change came after it, or there is none. */
export function travelNotes(run: string, way: 'undo' | 'redo'): boolean {
  const history = histories.get(run);
  if (changedLast !== run || history === undefined) return false;
  const times = history.temporal.getState();
  const undone = times.pastStates.length > 0 ? history.getState() : undefined;
  const step = (way === 'undo' ? undone : times.futureStates.at(-1))?.step;
  if (step === undefined) return false;
  times[way]();
  set(run, { notes: history.getState().notes });
  save(run);
  announce(`${way === 'undo' ? 'Undone' : 'Redone'}: ${step}`);
  return true;
}

/** Returns a random UUID (version 4). Pages without TLS, as a report in a notebook over http, have no crypto.randomUUID. */
const randomUuid = (): string =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1));
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16);
  });

/** Id of this window in the host's events. */
export const self = randomUuid();

/** The host's notes, as this window last received them. */
export const kept = new Map<string, readonly RunNote[]>();
/** The last save of each run, which resolves also if it failed. */
export const saves = new Map<string, Promise<void>>();

/** Sends changes that the host does not have yet, after the last save. */
export function save(run: string): void {
  const next = Promise.resolve(saves.get(run)).then(async () => {
    const [{ notes, problem }, known] = [notesOf(run), kept.get(run)];
    // Until the notes are read, a save would replace them.
    if (known === undefined || (sameNotes(notes, known) && problem === null)) return;
    try {
      await host().saveNotes(run, { notes: runNotes(notes), by: self });
      if (notesOf(run).problem !== null) set(run, { problem: null });
    } catch (thrown) {
      notifyError('The notes could not be saved', toErrorInfo(thrown));
    }
  });
  saves.set(run, next);
}

/** Drops the notes of a deleted run. */
export function forgetNotes(run: string): void {
  for (const table of [histories, kept, saves]) table.delete(run);
  useAll.setState((all) => withEntry<NotesOfRun>(all, run, undefined), true);
}
