/** Notes from the host: read when a run is opened, and replaced when another window has saved its own. */
import { toErrorInfo } from '../../../core/errors.ts';
import { type RunNote, sameNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { whenNotesChanged } from '../../store/hostEvents.ts';
import { notifyDone } from '../../store/notify.ts';
import { whenRunGoes } from '../../store/store.ts';
import { beginHistory, editNote, forgetNotes, keepsNotes, kept, notesOf, save, saves, self, set } from './notes.ts';

const reading = new Set<string>();

/** Reads the notes on a run when it is opened, and after the connection was lost. */
export async function ensureNotes(run: string): Promise<void> {
  if (!keepsNotes(run) || reading.has(run)) return;
  reading.add(run);
  try {
    await saves.get(run);
    const before = kept.get(run);
    const { notes } = await host().readNotes(run);
    // The run may be deleted by now, and notes that an event brought are newer.
    if (reading.has(run) && kept.get(run) === before) receive(run, notes);
  } catch (thrown) {
    const problem = toErrorInfo(thrown);
    // Without a connection they are read later.
    if (problem.code.startsWith('connection.') || !reading.has(run)) return;
    if (!kept.has(run)) receive(run, []);
    set(run, { problem });
  } finally {
    reading.delete(run);
  }
}

/** Takes the host's notes. Those written before the first answer are added; later the host's win over changes here. */
function receive(run: string, notes: readonly RunNote[]): void {
  const before = kept.get(run);
  kept.set(run, notes);
  const { notes: own, editing } = notesOf(run);
  if (before === undefined) beginHistory(run, [...notes, ...own]);
  else if (!sameNotes(before, notes) && !sameNotes(own, notes)) {
    beginHistory(run, notes);
    editNote(run, null);
    if (editing !== null)
      notifyDone('The notes were changed in another window', 'Those of the other window are shown now.');
  }
  if (!sameNotes(notesOf(run).notes, notes)) save(run);
}

whenNotesChanged((run, { notes }, by) => {
  if (by === self) kept.set(run, notes);
  else if (kept.has(run) || reading.has(run)) receive(run, notes);
});

// Their run may be deleted while they are read.
whenRunGoes((run) => {
  reading.delete(run);
  forgetNotes(run);
});
