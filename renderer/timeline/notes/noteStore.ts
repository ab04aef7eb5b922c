/**
 * The marks and notes on the runs that are open: read from the host, saved with every change, and undoable. What other
 * windows write on the same run is put to it as they save it.
 */
import { create } from 'zustand';
import { type ErrorInfo, toErrorInfo } from '../../../core/errors.ts';
import { mergeNotes, mostNotes, type RunNote, type RunNotes, runNotes, sameNotes } from '../../../core/trace/notes.ts';
import { announce } from '../../app/announce.ts';
import { notifyDone, notifyError } from '../../app/notify.ts';
import { host, whenNotesChanged } from '../../app/store/actions.ts';
import { isPrediction } from '../../app/store/select.ts';
import { watch } from '../../app/store/store.ts';
import { NoteHistory } from './noteHistory.ts';

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
/** As the host has them, as far as this window has heard. */
const kept = new Map<string, readonly RunNote[]>();
/** Runs whose notes have changed since their reading began. */
const heard = new Set<string>();
/** What the host calls this window when it tells of changes. */
const self = crypto.randomUUID();
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

/** Reads the notes on a run: when it is opened, and after each time the connection was away. */
export async function ensureNotes(run: string): Promise<void> {
  if (!keepsNotes(run) || reading.has(run)) return;
  reading.add(run);
  try {
    const notes = await readNotes(run);
    if (histories.has(run) && kept.has(run)) takeOthers(run, notes);
    else begin(run, notes);
  } catch (thrown) {
    const problem = toErrorInfo(thrown);
    // Without a connection they are read later.
    if (problem.code.startsWith('connection.')) return;
    if (!histories.has(run)) begin(run, []);
    set(run, { problem });
  } finally {
    reading.delete(run);
  }
}

/** As they are after all that this window has saved. What changes while they are read could be older in the answer. */
async function readNotes(run: string): Promise<readonly RunNote[]> {
  for (;;) {
    await saves.get(run);
    heard.delete(run);
    const { notes } = await host().readNotes(run);
    if (!heard.has(run)) return notes;
  }
}

/** Notes that were written before the answer came are kept. */
function begin(run: string, notes: readonly RunNote[]): void {
  const early = notesOf(run).notes;
  kept.set(run, notes);
  histories.set(run, new NoteHistory(inOrder(mergeNotes([], early, notes))));
  set(run, { notes: historyOf(run).notes });
}

/** The host tells of a change, by this window or another. */
function onNotesChanged(run: string, { notes }: RunNotes, by: string): void {
  heard.add(run);
  if (!histories.has(run)) return;
  if (by === self) kept.set(run, notes);
  else takeOthers(run, notes);
}

/** Puts what others have changed to what this window has, and to all that undo and redo lead to. */
function takeOthers(run: string, theirs: readonly RunNote[]): void {
  flushWords();
  const base = kept.get(run) ?? [];
  const history = historyOf(run);
  const before = history.notes;
  kept.set(run, theirs);
  history.rebase((mine) => inOrder(mergeNotes(base, mine, theirs)));
  const { notes } = history;
  set(run, { notes });
  const copy = notes.find(({ id }) => [...before, ...theirs].every((one) => one.id !== id));
  if (copy !== undefined) {
    if (copy.text === words?.text) moveWords(copy.id);
    notifyDone('Changed in another window too', 'Both windows have written on one note: it is there twice now.');
  }
  const lost = before.find(({ id }) => id === words?.id && notes.every((one) => one.id !== id));
  if (lost !== undefined) tellLost(run, lost);
  save(run);
}

/** The note whose words are being written was deleted by another window. */
function tellLost(run: string, note: RunNote): void {
  words = null;
  const act = (): void => change(run, 'Bring a note back', [...notesOf(run).notes, note]);
  notifyDone('The note was deleted in another window', note.text, { label: 'Bring it back', act });
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
  set(run, { notes: historyOf(run).notes });
  save(run);
}

/** Sends what the host does not have yet. */
function save(run: string): void {
  const before = saves.get(run) ?? Promise.resolve();
  const next = before.then(async () => {
    const [notes, base] = [notesOf(run).notes, kept.get(run) ?? []];
    if (sameNotes(notes, base) && notesOf(run).problem === null) return;
    try {
      await host().saveNotes(run, { notes: runNotes(notes), base: runNotes(base), by: self });
      if (notesOf(run).problem !== null) set(run, { problem: null });
    } catch (thrown) {
      notifyError('The notes could not be saved', toErrorInfo(thrown));
    }
  });
  saves.set(run, next);
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

/** A note whose words are being written. They are saved whenever the typing pauses, all of them as one step. */
interface Words {
  readonly run: string;
  readonly id: string;
  readonly text: string;
  /** Whether the step has been made. */
  readonly begun: boolean;
  /** Whether there is more in the field than in the note. */
  readonly ahead: boolean;
}

let words: Words | null = null;
let pause: ReturnType<typeof setTimeout> | undefined;
const pauseMs = 250;

/** What stands in the field now. */
export function typeWords(run: string, id: string, text: string): void {
  if (words?.run !== run || words.id !== id) flushWords();
  const begun = words?.run === run && words.id === id && words.begun;
  words = { run, id, text, begun, ahead: true };
  clearTimeout(pause);
  pause = setTimeout(flushWords, pauseMs);
}

/** Ends the writing; `keep` false leaves the note as it was before. */
export function endWords(run: string, keep: boolean): void {
  if (words?.run === run) {
    if (keep) flushWords();
    else if (words.begun) {
      historyOf(run).withdraw();
      show(run);
    }
    clearTimeout(pause);
    words = null;
  }
  editNote(run, null);
}

function flushWords(): void {
  clearTimeout(pause);
  if (words?.ahead !== true) return;
  const { run, id, text, begun } = words;
  words = { ...words, ahead: false };
  const { notes } = notesOf(run);
  if ((notes.find((one) => one.id === id)?.text ?? text) === text) return;
  const written = notes.map((one) => (one.id === id ? { ...one, text } : one));
  words = { ...words, begun: true };
  if (!begun) {
    change(run, 'Write a note', written);
    return;
  }
  historyOf(run).amend(inOrder(written));
  show(run);
}

/** The words that are being written have become those of another note. */
function moveWords(id: string): void {
  if (words === null) return;
  words = { ...words, id };
  set(words.run, { editing: id });
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

watch((now, before) => {
  if (now.edits !== before.edits) changedLast = null;
  for (const id of Object.keys(before.runs)) if (now.runs[id] === undefined) forgetNotes(id);
});

/** With its run. */
function forgetNotes(run: string): void {
  if (!histories.has(run)) return;
  histories.delete(run);
  kept.delete(run);
  saves.delete(run);
  useAll.setState((all) => Object.fromEntries(Object.entries(all).filter(([id]) => id !== run)), true);
}

whenNotesChanged(onNotesChanged);
