/** The marks and notes on the runs that are open: read from the host once, saved with every change, and undoable. */
import { temporal } from 'zundo';
import { create } from 'zustand';
import { createStore } from 'zustand/vanilla';
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import { mostNotes, type RunNote, runNotes } from '../../../core/trace/notes.ts';
import { announce } from '../../app/announce.ts';
import { notifyError } from '../../app/notify.ts';
import { host } from '../../app/store/actions.ts';
import { isPrediction } from '../../app/store/select.ts';
import { useApp } from '../../app/store/store.ts';

interface Moment {
  readonly notes: readonly RunNote[];
  /** What led here. */
  readonly step: string;
}

/** Steps that can be undone. */
const mostSteps = 200;

class NoteHistory {
  readonly #store;

  constructor(notes: readonly RunNote[]) {
    this.#store = createStore<Moment>()(temporal((): Moment => ({ notes, step: 'Open' }), { limit: mostSteps }));
  }

  get notes(): readonly RunNote[] {
    return this.#store.getState().notes;
  }

  push(step: string, notes: readonly RunNote[]): void {
    this.#store.setState({ notes, step });
  }

  /** Name of the step that was taken back or done again; null where there was none. */
  travel(way: 'undo' | 'redo'): string | null {
    const times = this.#store.temporal.getState();
    if (way === 'undo') {
      if (times.pastStates.length === 0) return null;
      const { step } = this.#store.getState();
      times.undo();
      return step;
    }
    if (times.futureStates.length === 0) return null;
    times.redo();
    return this.#store.getState().step;
  }
}

interface NotesOfRun {
  /** In order of iteration and time. */
  readonly notes: readonly RunNote[];
  /** Why those that were saved can't be read; null where they can. */
  readonly problem: ErrorInfo | null;
  /** The one that was gone to last, and how often one was: going to it again moves there again. */
  readonly active: { readonly id: string; readonly times: number } | null;
  /** The one whose words are being written. */
  readonly editing: string | null;
}

const none: NotesOfRun = { notes: [], problem: null, active: null, editing: null };

const useAll = create<Readonly<Record<string, NotesOfRun>>>()(() => ({}));
const histories = new Map<string, NoteHistory>();
const reading = new Set<string>();
/** Saves of one run follow one another. */
const saves = new Map<string, Promise<void>>();
/** The run whose notes were changed last; null once something else was. Ctrl+Z belongs to it. */
let changedLast: string | null = null;

export const useRunNotes = (run: string): NotesOfRun => useAll((all) => all[run] ?? none);
export const notesOf = (run: string): NotesOfRun => useAll.getState()[run] ?? none;

/** A prediction is made anew with every edit, and so keeps nothing. */
export const keepsNotes = (run: string): boolean => !isPrediction(run);

function set(run: string, change: Partial<NotesOfRun>): void {
  useAll.setState((all) => ({ ...all, [run]: { ...(all[run] ?? none), ...change } }));
}

/** Reads the notes on a run, once. */
export async function ensureNotes(run: string): Promise<void> {
  if (!keepsNotes(run) || histories.has(run) || reading.has(run)) return;
  reading.add(run);
  try {
    const { notes } = await host().readNotes(run);
    begin(run, notes);
  } catch (thrown) {
    const problem = toErrorInfo(thrown);
    // Without a connection they are read later.
    if (problem.code.startsWith('connection.')) return;
    begin(run, []);
    set(run, { problem });
  } finally {
    reading.delete(run);
  }
}

/** Notes that were written before the answer came are kept. */
function begin(run: string, notes: readonly RunNote[]): void {
  const early = notesOf(run).notes;
  histories.set(run, new NoteHistory(inOrder([...notes, ...early])));
  set(run, { notes: historyOf(run).notes });
}

function historyOf(run: string): NoteHistory {
  const known = histories.get(run) ?? new NoteHistory(notesOf(run).notes);
  histories.set(run, known);
  return known;
}

const inOrder = (notes: readonly RunNote[]): RunNote[] =>
  [...notes].sort((a, b) => a.iteration - b.iteration || a.startNs - b.startNs || a.endNs - b.endNs);

function change(run: string, step: string, notes: readonly RunNote[]): void {
  historyOf(run).push(step, inOrder(notes));
  changedLast = run;
  show(run);
}

/** Shows a history's present, and saves it. */
function show(run: string): void {
  const { notes } = historyOf(run);
  set(run, { notes });
  const before = saves.get(run) ?? Promise.resolve();
  const save = before.then(async () => {
    try {
      await host().saveNotes(run, runNotes(notes));
      if (notesOf(run).problem !== null) set(run, { problem: null });
    } catch (thrown) {
      notifyError('The notes could not be saved', toErrorInfo(thrown));
    }
  });
  saves.set(run, save);
}

/** Adds a note, or finds the one that is there for the same; null where no more fit, or none is kept. */
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
  const made = { ...note, id: newId() };
  change(run, note.text === '' && note.row === null ? 'Mark' : 'Add a note', [...notes, made]);
  return made;
}

const newId = (): string => crypto.randomUUID();

export function writeNote(run: string, id: string, text: string): void {
  const { notes } = notesOf(run);
  if (notes.find((one) => one.id === id)?.text === text) return;
  change(
    run,
    'Write a note',
    notes.map((one) => (one.id === id ? { ...one, text } : one)),
  );
}

export function deleteNote(run: string, id: string): void {
  change(
    run,
    'Delete a note',
    notesOf(run).notes.filter((one) => one.id !== id),
  );
  announce('The note is deleted. Ctrl+Z brings it back.');
}

/** Shows it in the lanes. */
export function goToNote(run: string, id: string): void {
  set(run, { active: { id, times: (notesOf(run).active?.times ?? 0) + 1 } });
}

/** Opens its words for writing; null closes them. */
export const editNote = (run: string, id: string | null): void => set(run, { editing: id });

/** Whether the last change of all was one of this run's notes, which undo then takes back. */
export const wereNotesLast = (run: string): boolean => changedLast === run;

/** Takes the last change of the notes back, or does it again. False where there is none. */
export function travelNotes(run: string, way: 'undo' | 'redo'): boolean {
  const step = histories.get(run)?.travel(way) ?? null;
  if (step === null) return false;
  show(run);
  announce(`${way === 'undo' ? 'Undone' : 'Done again'}: ${step}`);
  return true;
}

useApp.subscribe((now, before) => {
  if (now.edits !== before.edits) changedLast = null;
  for (const id of Object.keys(before.runs)) if (now.runs[id] === undefined) forgetNotes(id);
});

/** With its run. */
function forgetNotes(run: string): void {
  if (!histories.has(run)) return;
  histories.delete(run);
  saves.delete(run);
  useAll.setState((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== run)), true);
}
