/**
 * Deleting with a way back. A file, or a folder with all that is in it, goes to the system's bin; where there is none, or
 * for good, it is removed. A second name of each file (a hard link, which costs nothing) is kept for a while, so that Undo
 * works wherever the file went.
 */
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { link, lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { Bin } from './bin/bin.ts';
import { makeFolder, privately, storageError } from './files.ts';

export interface Doomed {
  /** Of a file or a folder. */
  readonly path: string;
  /** What nobody would look for in a bin, as a draft. */
  readonly bin: boolean;
}

interface Deleted extends Doomed {
  /** Its second name; null where the disk has no such thing. */
  readonly kept: string | null;
  readonly takeOut: (() => Promise<void>) | null;
}

interface Deletion {
  readonly files: Deleted[];
  /** Those that are in their places again: what fails after them can be tried once more. */
  readonly back: Set<Deleted>;
  readonly around: Around;
  readonly timer: NodeJS.Timeout;
}

/** Does what belongs to taking a deletion back, before and after `putBack`, which puts the files in their places again. */
export type Around = (putBack: () => Promise<void>) => Promise<void>;

/** How long a deletion can be taken back. */
const undoMs = 5 * 60_000;

export class Deletions {
  readonly #folder: string;
  readonly #bin: Bin | null;
  readonly #deletions = new Map<string, Deletion>();

  /** `folder` is this class's own, and lies on the disk of what is deleted. */
  constructor(folder: string, bin: Bin | null) {
    this.#folder = folder;
    this.#bin = bin;
  }

  /**
   * Deletes all of them, and gives what restore() wants. Rejects with `bin.failed` where the bin doesn't take a file, and
   * with a file error; what was deleted by then is put back.
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

  /** Puts everything back. Rejects with `deletion.gone` where that is no longer possible, and with a file error, after which it may be tried again. */
  async restore(token: string): Promise<void> {
    const deletion = this.#deletions.get(token);
    if (deletion === undefined || deletion.files.some(({ kept }) => kept === null)) throw gone();
    await deletion.around(async () => {
      for (const file of deletion.files) {
        if (!deletion.back.has(file)) await putBack(file);
        deletion.back.add(file);
      }
    });
    // Last: as long as not all of it is back, the bin has it.
    for (const file of deletion.files) await takeOut(file);
    await this.forget(token);
  }

  /** Nothing can be taken back any more. */
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

  /** It can't be taken back any more. */
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

/** A second name of a file; of a folder, a new folder with second names of all that is in it, or nothing. */
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

/** Never over another file, which may have come under this name meanwhile. A draft that has is newer, and stays. */
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
