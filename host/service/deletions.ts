/**
 * Deletes files with a way back. A file or folder goes to the system's bin, or is removed if there is none or it is
 * deleted for good. A hard link to each file, which costs nothing, is kept for a while, so that Undo always works.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { Bin } from './bin/bin.ts';
import { makeFolder, privately, storageError } from './files.ts';

export interface Doomed {
  /** Path of a file or folder. */
  readonly path: string;
  /** True if it goes to the bin; a draft doesn't. */
  readonly bin: boolean;
}

interface Deleted extends Doomed {
  /** Path of the hard link; null if the disk has none. */
  readonly kept: string | null;
  readonly takeOut: (() => Promise<void>) | null;
}

interface Deletion {
  readonly files: Deleted[];
  /** Files that are restored already, so that a failed restore can be retried. */
  readonly back: Set<Deleted>;
  readonly around: Around;
  readonly timer: NodeJS.Timeout;
}

/** Wraps the restoring of a deletion: does its own part before and after `putBack`, which restores the files. */
export type Around = (putBack: () => Promise<void>) => Promise<void>;

/** Time in which a deletion can be undone. */
const undoMs = 5 * 60_000;

export class Deletions {
  readonly #folder: string;
  readonly #bin: Bin | null;
  readonly #deletions = new Map<string, Deletion>();

  /** `folder` belongs to this class, and is on the disk of the deleted files. */
  constructor(folder: string, bin: Bin | null) {
    this.#folder = folder;
    this.#bin = bin;
  }

  /**
   * Deletes all files, and returns a token for restore(). Rejects with `bin.failed` or a file error, and restores them
   * then.
   */
  async delete(files: readonly Doomed[], forGood: boolean, around: Around): Promise<string> {
    const token = randomUUID();
    const done: Deleted[] = [];
    try {
      for (const file of files) done.push(await this.#deleteOne(join(this.#folder, token), file, forGood));
    } catch (thrown) {
      for (const file of done)
        await putBack(file).then(
          () => takeOut(file),
          () => {},
        );
      await this.#forgetFiles(token);
      throw thrown;
    }
    const timer = setTimeout(() => void this.forget(token), undoMs).unref();
    this.#deletions.set(token, { files: done, back: new Set(), around, timer });
    return token;
  }

  /** Restores everything. Rejects with `deletion.gone`, and with a file error, after which it may be retried. */
  async restore(token: string): Promise<void> {
    const deletion = this.#deletions.get(token);
    if (deletion === undefined || deletion.files.some(({ kept }) => kept === null)) throw gone();
    await deletion.around(async () => {
      for (const file of deletion.files) {
        if (!deletion.back.has(file)) await putBack(file);
        deletion.back.add(file);
      }
    });
    // Done last, so that the bin has everything until all of it is restored.
    for (const file of deletion.files) await takeOut(file);
    await this.forget(token);
  }

  /** Ends the possibility to undo any deletion. */
  close(): void {
    for (const { timer } of this.#deletions.values()) clearTimeout(timer);
    this.#deletions.clear();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #deleteOne(folder: string, { path, bin }: Doomed, forGood: boolean): Promise<Deleted> {
    const kept = await keepLink(folder, path);
    if (forGood || !bin || this.#bin === null) {
      await remove(path);
      return { path, bin, kept, takeOut: null };
    }
    const { takeOut } = await this.#bin.put(path).catch((cause: unknown) => {
      throw binFailed(path, cause);
    });
    return { path, bin, kept, takeOut };
  }

  /** Ends the possibility to undo this deletion. */
  async forget(token: string): Promise<void> {
    clearTimeout(this.#deletions.get(token)?.timer);
    this.#deletions.delete(token);
    await this.#forgetFiles(token);
  }

  #forgetFiles(token: string): Promise<void> {
    return rm(join(this.#folder, token), { recursive: true, force: true });
  }
}

async function keepLink(folder: string, path: string): Promise<string | null> {
  const kept = join(folder, `${randomUUID()}-${basename(path)}`);
  try {
    await makeFolder(folder, privately.folder);
    await linkWhole(path, kept);
    return kept;
  } catch {
    return null;
  }
}

/** Makes a hard link to a file, or a new folder with hard links to all files of a folder, or nothing. */
async function linkWhole(from: string, to: string): Promise<void> {
  if (!(await lstat(from)).isDirectory()) return link(from, to);
  await mkdir(to, { mode: privately.folder });
  try {
    for (const name of await readdir(from)) await linkWhole(join(from, name), join(to, name));
  } catch (thrown) {
    await rm(to, { recursive: true, force: true });
    throw thrown;
  }
}

const remove = (path: string): Promise<void> =>
  rm(path, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${path} could not be deleted`, error);
  });

/** Never overwrites a new file of this name. A new draft is newer, and stays. */
async function putBack({ path, bin, kept }: Deleted): Promise<void> {
  if (kept === null) throw gone();
  try {
    await makeFolder(dirname(path), privately.folder);
    await linkWhole(kept, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST' || bin) throw error;
    });
  } catch (error) {
    throw storageError(`${path} could not be put back`, error as NodeJS.ErrnoException);
  }
}

const takeOut = async ({ takeOut }: Deleted): Promise<void> => takeOut?.().catch(() => {});

const binFailed = (path: string, cause: unknown): CopyscopeError =>
  new CopyscopeError(
    {
      code: 'bin.failed',
      message: `${path} could not be moved to the bin (${cause instanceof Error ? cause.message : String(cause)}).`,
      remedy: 'It can be deleted for good instead.',
    },
    { cause },
  );

const gone = (): CopyscopeError =>
  new CopyscopeError({
    code: 'deletion.gone',
    message: 'This deletion can no longer be taken back here.',
    remedy: 'Look for it in the system’s bin.',
  });
