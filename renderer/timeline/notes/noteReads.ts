/** Notes from the host: read when a run is opened, and merged into this window's when others have changed them. */
import { toErrorInfo } from '../../../core/errors.ts';
import { mergeNotes, type RunNote, type RunNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { whenNotesChanged } from '../../store/hostEvents.ts';
import { notifyDone } from '../../store/notify.ts';
import { whenRunGoes } from '../../store/store.ts';
import { change } from './noteChanges.ts';
import { forgetSaves, keptNotes, save, saved, self, setKept } from './noteSaves.ts';
import { beginHistory, forgetRun, hasHistory, historyOf, inOrder, keepsNotes, notesOf, set } from './noteState.ts';
import { dropWords, flushWords, moveWords, writtenWords } from './noteWords.ts';

const reading = new Set<string>();
/** Runs whose notes have changed since their reading began. */
const heard = new Set<string>();

/** Reads the notes on a run when it is opened, and after the connection was lost. */
export async function ensureNotes(run: string): Promise<void> {
  if (!keepsNotes(run) || reading.has(run)) return;
  reading.add(run);
  try {
    const notes = await readNotes(run);
    // The run was deleted during the reading.
    if (!reading.has(run)) return;
    if (hasHistory(run) && keptNotes(run) !== null) takeOthers(run, notes);
    else begin(run, notes);
  } catch (thrown) {
    const problem = toErrorInfo(thrown);
    // Without a connection they are read later.
    if (problem.code.startsWith('connection.') || !reading.has(run)) return;
    if (!hasHistory(run)) begin(run, []);
    set(run, { problem });
  } finally {
    reading.delete(run);
  }
}

/** Returns the notes after this window's saves. Reads again if they change meantime, since the answer may be older. */
async function readNotes(run: string): Promise<readonly RunNote[]> {
  for (;;) {
    await saved(run);
    heard.delete(run);
    const { notes } = await host().readNotes(run);
    if (!heard.has(run)) return notes;
  }
}

/** Begins the history. Notes written before the answer came are kept. */
function begin(run: string, notes: readonly RunNote[]): void {
  const early = notesOf(run).notes;
  setKept(run, notes);
  beginHistory(run, mergeNotes([], early, notes));
}

/** Handles a change by this window or another. */
function onNotesChanged(run: string, { notes }: RunNotes, by: string): void {
  heard.add(run);
  if (!hasHistory(run)) return;
  if (by === self) setKept(run, notes);
  else takeOthers(run, notes);
}

/** Merges changes by others into this window's notes, and into all states of undo and redo. */
function takeOthers(run: string, theirs: readonly RunNote[]): void {
  flushWords();
  const base = keptNotes(run) ?? [];
  const history = historyOf(run);
  const before = history.notes;
  setKept(run, theirs);
  history.rebase((mine) => inOrder(mergeNotes(base, mine, theirs)));
  const { notes } = history;
  set(run, { notes });
  const copy = notes.find(({ id }) => [...before, ...theirs].every((one) => one.id !== id));
  if (copy !== undefined) {
    if (copy.text === writtenWords()?.text) moveWords(copy.id);
    notifyDone('Changed in another window too', 'Both windows have written on one note: it is there twice now.');
  }
  const lost = before.find(({ id }) => id === writtenWords()?.id && notes.every((one) => one.id !== id));
  if (lost !== undefined) tellLost(run, lost);
  save(run);
}

/** Offers to restore the note that is being edited here after another window has deleted it. */
function tellLost(run: string, note: RunNote): void {
  dropWords();
  const act = (): void => change(run, 'Bring a note back', [...notesOf(run).notes, note]);
  notifyDone('The note was deleted in another window', note.text, { label: 'Bring it back', act });
}

/** Drops the notes with their run. They may be just being read. */
function forgetNotes(run: string): void {
  reading.delete(run);
  heard.delete(run);
  if (!hasHistory(run)) return;
  forgetRun(run);
  forgetSaves(run);
}

whenRunGoes(forgetNotes);

whenNotesChanged(onNotesChanged);
