/** The bin of freedesktop.org's desktops. https://specifications.freedesktop.org/trash-spec/1.0/ */
import { lstat, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, parse, relative, resolve, sep } from 'node:path';
import type { Bin, Binned } from './bin.ts';

interface Trash {
  readonly folder: string;
  /** Folder to which the file's path is relative; null for the home bin, which holds absolute paths. */
  readonly top: string | null;
}

const stickyBit = 0o1000;
const mostNames = 10_000;

export function freedesktopBin(environment: NodeJS.ProcessEnv = process.env): Bin {
  return {
    put: async (path) => {
      const file = resolve(path);
      const trash = await trashFor(file, homeTrash(environment));
      for (const part of ['info', 'files']) await mkdir(join(trash.folder, part), { recursive: true, mode: 0o700 });
      return move(file, trash);
    },
  };
}

function homeTrash(environment: NodeJS.ProcessEnv): string {
  const data = environment['XDG_DATA_HOME'];
  return join(data === undefined || data === '' ? join(homedir(), '.local/share') : data, 'Trash');
}

/** Returns the home bin, or that of the file's disk, so that moving doesn't become copying. */
async function trashFor(file: string, home: string): Promise<Trash> {
  const disk = (await lstat(file)).dev;
  if ((await diskOf(home)) === disk) return { folder: home, top: null };
  const top = await topOf(file, disk);
  const user = process.getuid?.() ?? 0;
  const shared = join(top, '.Trash');
  if (await isSharedTrash(shared)) return { folder: join(shared, String(user)), top };
  return { folder: join(top, `.Trash-${user}`), top };
}

/** Returns the disk of the nearest existing folder. */
async function diskOf(folder: string): Promise<number> {
  try {
    return (await stat(folder)).dev;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || dirname(folder) === folder) throw error;
    return diskOf(dirname(folder));
  }
}

async function topOf(file: string, disk: number): Promise<string> {
  let top = dirname(file);
  while (dirname(top) !== top && (await stat(dirname(top))).dev === disk) top = dirname(top);
  return top;
}

/** Returns true for a real folder with the sticky bit, as the specification demands. */
async function isSharedTrash(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && (found.mode & stickyBit) !== 0;
}

/** Writes the description first, since creating it reserves the name. */
async function move(file: string, { folder, top }: Trash): Promise<Binned> {
  const { name, info } = await reserve(file, folder, description(file, top));
  const binned = join(folder, 'files', name);
  try {
    await rename(file, binned);
  } catch (error) {
    await rm(info, { force: true });
    throw error;
  }
  return {
    takeOut: async () => {
      await rm(binned, { recursive: true, force: true });
      await rm(info, { force: true });
    },
  };
}

async function reserve(file: string, folder: string, text: string): Promise<{ name: string; info: string }> {
  const { name: stem, ext } = parse(basename(file));
  for (let number = 1; number <= mostNames; number += 1) {
    const name = number === 1 ? stem + ext : `${stem}.${number}${ext}`;
    const info = join(folder, 'info', `${name}.trashinfo`);
    try {
      await writeFile(info, text, { flag: 'wx', mode: 0o600 });
      return { name, info };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
  throw new Error(`the bin holds ${mostNames} files of this name`);
}

function description(file: string, top: string | null): string {
  const path = (top === null ? file : relative(top, file)).split(sep).map(encodeURIComponent).join('/');
  return `[Trash Info]\nPath=${path}\nDeletionDate=${localTime(new Date())}\n`;
}

/** Returns YYYY-MM-DDThh:mm:ss in local time. */
function localTime(now: Date): string {
  return new Date(now.getTime() - now.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
