/** What this window has changed goes to the host with every change, one save of a run after the other. */
import { toErrorInfo } from '../../../core/errors.ts';
import { type RunNote, runNotes, sameNotes } from '../../../core/trace/notes.ts';
import { host } from '../../store/host.ts';
import { notifyError } from '../../store/notify.ts';
import { notesOf, set } from './noteState.ts';

/** As the host has them, as far as this window has heard. */
const kept = new Map<string, readonly RunNote[]>();
const saves = new Map<string, Promise<void>>();

/** What the host calls this window when it tells of changes. */
export const self = crypto.randomUUID();

/** Null where the host was not heard of yet. */
export const keptNotes = (run: string): readonly RunNote[] | null => kept.get(run) ?? null;
export const setKept = (run: string, notes: readonly RunNote[]): void => void kept.set(run, notes);

/** Resolves when all that was changed until now is saved, or has failed to be. */
export const saved = (run: string): Promise<void> => saves.get(run) ?? Promise.resolve();

/** Sends what the host does not have yet. */
export function save(run: string): void {
  const next = saved(run).then(async () => {
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

export function forgetSaves(run: string): void {
  kept.delete(run);
  saves.delete(run);
}
