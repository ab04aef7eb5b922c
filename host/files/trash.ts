/**
 * Deleted items, kept for 30 days: a folder for each deletion, with a list of what belongs in it. Deleting and undoing
 * rename files, so both take no time and no room. A folder is named after its process: the next start completes the
 * deletions of killed processes, and renaming a folder claims it for one of several processes.
 */
import { cp, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { itemsSchema } from '../../core/service/requests.ts';
import type { LibraryItems } from '../../core/service/service.ts';
import { exists, makeFolder, privately, storageError, writeWhole } from './files.ts';
import { readIfSound } from './stored.ts';
import { isLeftBehind, ownName } from './thisProcess.ts';

const keptMs = 30 * 24 * 3_600_000;
const maxListBytes = 64 * 1024 * 1024;

const deletedSchema = z.strictObject({
  items: itemsSchema,
  titles: z.record(z.string(), z.string()),
  files: z.array(z.string()),
});

export interface Deleted {
  readonly items: LibraryItems;
  /** Titles of the runs, by id. */
  readonly titles: Readonly<Record<string, string>>;
  /** Paths of files and folders, below the data folder. */
  readonly files: readonly string[];
}

export class Trash {
  readonly #data: string;
  readonly #folder: string;

  constructor(dataFolder: string) {
    this.#data = dataFolder;
    this.#folder = join(dataFolder, 'trash');
  }

  /**
   * Moves all files into the trash, or none. Returns a ticket for restore(). Rejects with a file error. On a full disk it
   * makes room by removing what is in the trash. If that is not enough, it removes these files: the ticket is empty.
   */
  async put(deleted: Deleted): Promise<string> {
    for (const path of [this.#folder, ...deleted.files.map((file) => join(this.#data, file))]) {
      try {
        return await this.#put(deleted);
      } catch (thrown) {
        if (!isFull(thrown)) throw thrown;
        await rm(path, { recursive: true, force: true });
      }
    }
    return '';
  }

  async #put(deleted: Deleted): Promise<string> {
    const ticket = ownName();
    await writeWhole(this.#listOf(ticket), JSON.stringify(deleted), privately);
    try {
      await this.#fill(ticket, deleted);
    } catch (thrown) {
      await this.#empty(ticket, deleted);
      await rm(join(this.#folder, ticket), { recursive: true, force: true });
      throw thrown;
    }
    return ticket;
  }

  /** Moves everything back, then calls `after`. Rejects with `deletion.gone`, or a file error, and may be retried then. */
  async restore(ticket: string, after: (deleted: Deleted) => Promise<void>): Promise<void> {
    const claimed = ownName();
    await rename(join(this.#folder, ticket), join(this.#folder, claimed)).catch((cause: unknown) => {
      throw gone(cause);
    });
    try {
      const deleted = await this.#read(claimed);
      if (deleted === null) throw gone(null);
      try {
        await this.#empty(claimed, deleted);
        await after(deleted);
      } catch (thrown) {
        await this.#fill(claimed, deleted);
        throw thrown;
      }
    } catch (thrown) {
      await rename(join(this.#folder, claimed), join(this.#folder, ticket));
      throw thrown;
    }
    await rm(join(this.#folder, claimed), { recursive: true, force: true });
  }

  /** Removes old deletions, and completes those of killed processes, which it returns. */
  async tidy(): Promise<Deleted[]> {
    const completed: Deleted[] = [];
    for (const ticket of await readdir(this.#folder).catch(() => [])) {
      const [deleted, at] = [await this.#read(ticket), await stat(this.#listOf(ticket)).catch(() => null)];
      const isOld = at !== null && Date.now() - at.mtimeMs > keptMs;
      const isLeft = isLeftBehind(join(this.#folder, ticket));
      if (isOld || (isLeft && deleted === null)) await rm(join(this.#folder, ticket), { recursive: true, force: true });
      else if (isLeft && deleted !== null) {
        await this.#fill(ticket, deleted);
        completed.push(deleted);
      }
    }
    return completed;
  }

  /** Skips files that are gone, or in the trash already: a new file may have their name by then. */
  async #fill(ticket: string, { files }: Deleted): Promise<void> {
    for (const file of files) {
      const [from, to] = [join(this.#data, file), join(this.#folder, ticket, file)];
      if ((await exists(from)) && !(await exists(to))) await move(from, to);
    }
  }

  async #empty(ticket: string, { files }: Deleted): Promise<void> {
    for (const file of files) {
      const [from, to] = [join(this.#folder, ticket, file), join(this.#data, file)];
      if (!(await exists(from))) continue;
      if (await exists(to)) throw storageError(`${to} could not be put back`, { code: 'EEXIST' });
      await move(from, to);
    }
  }

  #read(ticket: string): Promise<Deleted | null> {
    return readIfSound(deletedSchema, this.#listOf(ticket), maxListBytes);
  }

  #listOf(ticket: string): string {
    return join(this.#folder, ticket, 'deleted.json');
  }
}

/** Renames, or copies if the user has put a folder of the library on another disk. */
async function move(from: string, to: string): Promise<void> {
  try {
    await makeFolder(dirname(to), privately.folder);
    await rename(from, to).catch(async (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EXDEV') throw error;
      await cp(from, to, { recursive: true });
      await rm(from, { recursive: true });
    });
  } catch (error) {
    throw storageError(`${from} could not be moved to ${to}`, error as NodeJS.ErrnoException);
  }
}

const isFull = (thrown: unknown): boolean =>
  thrown instanceof CopyscopeError && (thrown.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOSPC';

const gone = (cause: unknown): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'deletion.gone',
      message: 'This deletion can no longer be undone.',
      remedy: 'Deletions are kept for 30 days, and shorter if the disk is full.',
    },
    { cause },
  );
