/** The notes on runs: a small JSON file for each run with notes, in a folder next to the runs. */
import { rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { maxNotesBytes, parseRunNotes, type RunNotes, runNotes } from '../../core/trace/notes.ts';
import { privately, serial, storageError, writeWhole } from '../files/files.ts';
import { isId } from '../files/ids.ts';
import { readTextIfThere } from '../files/stored.ts';

export class NoteStore {
  readonly #folder: string;
  readonly #serial = serial();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Returns the notes on a run, empty if there are none. Rejects with `notes.invalid`, or a file error. */
  async read(id: string): Promise<RunNotes> {
    const text = await readTextIfThere(this.#path(id), maxNotesBytes);
    return text === null ? runNotes() : parseRunNotes(text);
  }

  /** Replaces all notes on a run. An unreadable file is set aside, not overwritten. */
  save(id: string, notes: RunNotes): Promise<void> {
    return this.#serial(async () => {
      const path = this.#path(id);
      await this.read(id).catch((error: unknown) => {
        if (!isDamage(error)) throw error;
        return setAside(path);
      });
      if (notes.notes.length === 0) await this.#remove(path);
      else await writeWhole(path, `${JSON.stringify(notes, null, 2)}\n`, privately);
    });
  }

  /** Returns the path of the notes, or null if there are none. */
  async path(id: string): Promise<string | null> {
    return existing(this.#path(id));
  }

  /** Returns the folder of notes on runs whose ids begin with `id` and '/', or null. */
  async folder(id: string): Promise<string | null> {
    return existing(this.#folderOf(id));
  }

  async #remove(path: string): Promise<void> {
    await rm(path, { force: true }).catch((error: NodeJS.ErrnoException) => {
      throw storageError(`${path} could not be deleted`, error);
    });
  }

  #path(id: string): string {
    return `${this.#folderOf(id)}.json`;
  }

  #folderOf(id: string): string {
    if (isId(id)) return join(this.#folder, ...id.split('/'));
    throw new CopyscopeError({ code: 'run.not-found', message: 'There is no such run.' });
  }
}

const existing = async (path: string): Promise<string | null> =>
  (await stat(path).catch(() => null)) === null ? null : path;

const isDamage = (error: unknown): boolean =>
  error instanceof CopyscopeError && (error.code === 'notes.invalid' || error.code === 'file.too-large');

const setAside = (path: string): Promise<void> =>
  rename(path, `${path}.damaged`).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${path} could not be set aside`, error);
  });
