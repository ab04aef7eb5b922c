/** Sends each change of notes to the host, one save per run at a time. */
import { toErrorInfo } from '../../../core/errors.ts';
import { type RunNote, runNotes, sameNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { notifyError } from '../../store/notify.ts';
import { notesOf, set } from './noteState.ts';

/** The host's notes, as this window last received them. */
const kept = new Map<string, readonly RunNote[]>();
const saves = new Map<string, Promise<void>>();

/** Returns a random UUID (version 4). Pages without TLS, as a report in a notebook over http, have no crypto.randomUUID. */
export const randomUuid = (): string =>
  '10000000-1000-4000-8000-100000000000'.replace(/[018]/g, (digit) => {
    const [random = 0] = crypto.getRandomValues(new Uint8Array(1));
    return (Number(digit) ^ (random & (15 >> (Number(digit) / 4)))).toString(16);
  });

/** Id of this window in the host's events. */
export const self = randomUuid();

/** Returns null before anything came from the host. */
export const keptNotes = (run: string): readonly RunNote[] | null => kept.get(run) ?? null;
export const setKept = (run: string, notes: readonly RunNote[]): void => void kept.set(run, notes);

/** Resolves when all changes until now are saved, or have failed. */
export const saved = (run: string): Promise<void> => saves.get(run) ?? Promise.resolve();

/** Sends changes that the host does not have yet. */
export function save(run: string): void {
  const next = saved(run).then(async () => {
    const [{ notes }, known] = [notesOf(run), keptNotes(run)];
    // Until the notes are read, a save would replace them.
    if (known === null || (sameNotes(notes, known) && notesOf(run).problem === null)) return;
    try {
      await host().saveNotes(run, { notes: runNotes(notes), by: self });
      if (notesOf(run).problem !== null) set(run, { problem: null });
    } catch (thrown) {
      notifyError('The notes could not be saved', toErrorInfo(thrown));
    }
  });
  saves.set(run, next);
}

export function forgetSaves(run: string): void {
  kept.delete(run);
  saves.delete(run);
}
