/** Reads and writes the user's files: bounded, atomically, and with errors that name a remedy. */
import { mkdirSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import {
  access,
  constants,
  type FileHandle,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { CopyscopeError, fileTooLarge } from '../../core/errors.ts';
import { ownName } from './thisProcess.ts';

export interface FoundFile {
  /** Path below the searched folder, without its ending, with '/' between the parts. */
  readonly name: string;
  readonly path: string;
}

/** Returns every file below `folder` with this ending, by name; none if the folder doesn't exist. */
export async function findFiles(folder: string, ending: string, recursive: boolean): Promise<FoundFile[]> {
  const entries = await readdir(folder, { recursive, withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw storageError(`${folder} could not be read`, error);
  });
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, name: relative(folder, path).slice(0, -ending.length).split(sep).join('/') }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the facts of a file that can be read again. Rejects with a file error, also for a pipe or a device. */
export async function statFile(path: string): Promise<Stats> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${path} could not be read`, error);
  });
  if (found.isFile()) return found;
  if (found.isDirectory()) throw storageError(`${path} could not be read`, { code: 'EISDIR' });
  throw notPlain(path);
}

const notPlain = (path: string): CopyscopeError =>
  new CopyscopeError({
    code: 'file.failed',
    message: `${path} is no plain file.`,
    remedy: 'Write its output to a file, and name that.',
  });

/** Opens a plain file that another program may replace by anything: follows no link and waits for no pipe. */
export async function openPlain(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ELOOP' ? notPlain(path) : storageError(`${path} could not be read`, error);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notPlain(path);
}

/** Returns the file's bytes. Rejects with `file.too-large`, before reading, if it has more than `maxBytes`. */
export async function readBounded(path: string, maxBytes: number): Promise<Uint8Array> {
  try {
    const { size } = await statFile(path);
    if (size > maxBytes) throw fileTooLarge(path, size, maxBytes);
    // Copies the bytes, since a Buffer may be a view of a pool, which a structured clone would send whole.
    return new Uint8Array(await readFile(path));
  } catch (error) {
    if (error instanceof CopyscopeError) throw error;
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}

/** Reads a file that another program may replace by anything. */
export async function readPlain(path: string, maxBytes: number): Promise<Uint8Array> {
  const file = await openPlain(path);
  try {
    const { size } = await file.stat();
    if (size > maxBytes) throw fileTooLarge(path, size, maxBytes);
    return new Uint8Array(await file.readFile());
  } finally {
    await file.close();
  }
}

export async function readBoundedText(path: string, maxBytes: number): Promise<string> {
  return new TextDecoder().decode(await readBounded(path, maxBytes));
}

/** Returns at most `most` bytes from `from`. Rejects with a file error. */
export async function readPart(path: string, from: number, most: number): Promise<Uint8Array> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(most), 0, most, from);
      return new Uint8Array(buffer.subarray(0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    throw storageError(`${path} could not be read`, error as NodeJS.ErrnoException);
  }
}

/** Permissions of a new file, and of new folders above it. */
interface Access {
  readonly file: number;
  readonly folder: number;
}

/** Permissions that the user's umask then restricts. */
const asUsual: Access = { file: 0o666, folder: 0o777 };
/** Permissions for the user alone, as for everything in the data folder. */
export const privately: Access = { file: 0o600, folder: 0o700 };

/** Returns the name of a file until it is complete. clearUnfinished() removes files left by killed processes. */
const unfinishedName = (path: string): string => `${path}.${ownName()}.tmp`;

/**
 * Makes the folder and those above it, one by one. Node's own recursive way loops forever in a folder such as
 * /proc/self, where nothing can be made, and doesn't say why a disk can't be written.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (thrown) {
    const error = thrown as NodeJS.ErrnoException;
    if (error.code === 'ENOENT' && dirname(path) !== path && !(await exists(dirname(path)))) {
      await makeFolder(dirname(path), mode);
      return makeFolder(path, mode);
    }
    const isThere = await stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
    if (!isThere) throw error;
  }
}

/** Writes to a temporary file next to it, then renames: a reader sees the old content or the new, never a part. */
export async function writeWhole(path: string, content: string | Uint8Array, access = asUsual): Promise<void> {
  try {
    await makeFolder(dirname(path), access.folder);
    // If the path is a symbolic link, its target is replaced, not the link.
    const target = await realpath(path).catch(() => path);
    await replace(target, content, access.file);
  } catch (error) {
    throw storageError(`${path} could not be written`, error as NodeJS.ErrnoException);
  }
}

/** Writes a file that must not exist. Returns false if it does, even if it was made just now. */
export async function writeNew(path: string, content: string | Uint8Array, access = asUsual): Promise<boolean> {
  try {
    await makeFolder(dirname(path), access.folder);
    await replace(path, content, access.file, takeName);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw storageError(`${path} could not be written`, error as NodeJS.ErrnoException);
  }
}

/** Links instead of renaming, since a rename overwrites. Disks without links have one user, so checking is enough. */
async function takeName(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST' || (await exists(path))) throw existing;
    await rename(temporary, path);
    return;
  }
  await rm(temporary, { force: true });
}

const existing = Object.assign(new Error('it exists'), { code: 'EEXIST' });

/**
 * Writes a new file piece by piece. Nothing is left of it if a piece can't be made or written, or `signal` fires; it
 * then rejects as AbortSignal.throwIfAborted() does. Never overwrites a file (`file.exists`).
 */
export async function writeNewPieces(
  path: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  await requireNew(path);
  let failure: { readonly thrown: unknown } | null = null;
  async function* wanted(): AsyncGenerator<Uint8Array> {
    try {
      for await (const piece of pieces) {
        signal.throwIfAborted();
        yield piece;
      }
      signal.throwIfAborted();
    } catch (thrown) {
      failure = { thrown };
      throw thrown;
    }
  }
  await replace(path, wanted(), asUsual.file).catch((error: NodeJS.ErrnoException) => {
    throw failure === null ? storageError(`${path} could not be written`, error) : failure.thrown;
  });
}

/** Returns whether the user can see something at this path. */
export const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Rejects with `file.exists` if the name is taken. */
export async function requireNew(path: string): Promise<void> {
  if (!(await exists(path))) return;
  throw new CopyscopeError({
    code: 'file.exists',
    field: '--out',
    message: `${path} exists, and is not overwritten.`,
    remedy: 'Choose another name, or delete it first.',
  });
}

/**
 * Not the package write-file-atomic: that calls write() once without checking how much was written, so that on a full
 * disk it replaces a good file by a part of the new one, and reports success. Node's writeFile() goes on until
 * everything is written or an error comes.
 */
async function replace(
  path: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  newMode: number,
  put: (temporary: string, path: string) => Promise<void> = rename,
): Promise<void> {
  const temporary = unfinishedName(path);
  try {
    const mode = await stat(path).then(
      (found) => found.mode,
      () => newMode,
    );
    const file = await open(temporary, 'wx', mode);
    try {
      await writeFile(file, content);
      await file.sync();
    } finally {
      await file.close();
    }
    await put(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => {});
    throw error;
  }
}

/** Writes a file of the data folder synchronously, for a closing window. Throws the file system's errors. */
export function writeWholeSync(path: string, content: string): void {
  const temporary = unfinishedName(path);
  try {
    mkdirSync(dirname(path), { recursive: true, mode: privately.folder });
    writeFileSync(temporary, content, { flag: 'wx', flush: true, mode: privately.file });
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path).catch((error: NodeJS.ErrnoException) => {
    throw storageError(`${path} could not be deleted`, error);
  });
}

const remedies: Readonly<Record<string, string>> = {
  ENOENT: 'Check the path.',
  EISDIR: 'Name a file, not a folder.',
  ELOOP: 'It is a symbolic link that leads to itself: name the file that you mean.',
  ENAMETOOLONG: 'Use a shorter name.',
  EACCES: 'Check the permissions of the file and its folder.',
  EPERM: 'Check the permissions of the file and its folder.',
  EROFS: 'Set COPYSCOPE_DATA to a folder that can be written.',
  EEXIST: 'Rename or delete what has this name now, then try again.',
  ENOSPC: 'Free some space on that disk.',
};

export function storageError(what: string, error: Pick<NodeJS.ErrnoException, 'code'>): CopyscopeError {
  const code = error.code ?? 'unknown';
  return new CopyscopeError(
    {
      code: code === 'ENOENT' ? 'file.not-found' : 'file.failed',
      message: `${what} (${code}).`,
      remedy: remedies[code] ?? 'Check the disk and the folder.',
    },
    { cause: error },
  );
}

/** Runs tasks one after another, so that a store can find a free id and write under it undisturbed. */
export function serial(): <Result>(task: () => Promise<Result>) => Promise<Result> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const result = last.then(task, task);
    last = result.catch(() => {});
    return result;
  };
}
