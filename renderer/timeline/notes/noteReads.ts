/** Notes from the host: read when a run is opened, and replaced when another window has saved its own. */
import { toErrorInfo } from '../../../core/errors.ts';
import { type RunNote, type RunNotes, sameNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { whenNotesChanged } from '../../store/hostEvents.ts';
import { notifyDone } from '../../store/notify.ts';
import { whenRunGoes } from '../../store/store.ts';
import { forgetSaves, keptNotes, save, saved, self, setKept } from './noteSaves.ts';
import { beginHistory, forgetRun, hasHistory, keepsNotes, notesOf, set } from './noteState.ts';
import { dropWords, isWriting } from './noteWords.ts';

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
    const kept = keptNotes(run);
    if (!hasHistory(run) || kept === null) begin(run, notes);
    else if (sameNotes(kept, notes)) save(run);
    else takeOthers(run, notes);
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
  beginHistory(run, [...notes, ...early]);
  if (early.length > 0) save(run);
}

/** Handles a change by this window or another. */
function onNotesChanged(run: string, { notes }: RunNotes, by: string): void {
  heard.add(run);
  if (!hasHistory(run)) return;
  if (by === self) setKept(run, notes);
  else takeOthers(run, notes);
}

/** Takes over notes that another window has saved: the later ones win. */
function takeOthers(run: string, theirs: readonly RunNote[]): void {
  if (sameNotes(notesOf(run).notes, theirs)) return;
  const isEditing = isWriting();
  dropWords();
  setKept(run, theirs);
  beginHistory(run, theirs);
  set(run, { editing: null });
  if (isEditing) notifyDone('The notes were changed in another window', 'Those of the other window are shown now.');
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
