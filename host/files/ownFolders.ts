/**
 * The data folder: closes it to other users at a start, removes unfinished files of killed processes, and watches a
 * folder in it.
 */
import { chmodSync, type Dirent, readdirSync, type Stats, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './thisProcess.ts';

/** Names that Copyscope itself makes in the data folder. */
const names = [
  'cache',
  'drafts',
  'experiments',
  'incoming',
  'lessons',
  'notes',
  'opening',
  'profiles',
  'recordings',
  'runs',
  'sweeps',
  'trash',
] as const;

/**
 * Closes folders with open permissions, as from an earlier version, to other users; files.ts makes new ones private.
 * The data folder itself may have been chosen by the user for other things too, and stays as it is.
 */
export function closeOwnFolders(dataFolder: string): void {
  for (const name of names) {
    const folder = join(dataFolder, name);
    try {
      const { mode, uid } = statSync(folder);
      if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(folder, mode & 0o700);
    } catch {
      // The folder doesn't exist, or its disk has no permissions.
    }
  }
}

/** Removes unfinished files (see files.ts) of processes that have ended. */
export async function clearUnfinished(dataFolder: string): Promise<void> {
  const within = (folder: string, recursive: boolean): Promise<Dirent[]> =>
    readdir(folder, { withFileTypes: true, recursive }).catch(() => []);
  const found = await Promise.all([
    within(dataFolder, false),
    ...names.map((name) => within(join(dataFolder, name), true)),
  ]);
  const unfinished = found.flat().filter((entry) => entry.isFile() && entry.name.endsWith('.tmp'));
  for (const { parentPath, name } of unfinished) {
    const path = join(parentPath, name);
    if (isLeftBehind(path)) await rm(path, { force: true }).catch(() => {});
  }
}

const everyMs = 1000;

/**
 * Watches a folder for new, deleted or rewritten files. It polls the disk, since the system's notices need an existing
 * folder and miss changes by another machine on a shared disk. The folder has few files and need not exist. Returns a
 * function that ends the watching.
 */
export function watchFolder(path: string, onChange: () => void): () => void {
  // Taken before anything reads the folder, since a change between reading and a later look would be missed.
  let known = stateOf(path);
  const timer = setInterval(() => {
    const state = stateOf(path);
    if (state === known) return;
    known = state;
    onChange();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** A link to a missing file has only a name. */
const describe = (name: string, state: Stats | undefined): string => `${name} ${state?.mtimeMs} ${state?.size}`;

/** Returns a text that changes if a file is added, deleted or written; null if the folder can't be read. */
function stateOf(path: string): string | null {
  try {
    const names = readdirSync(path).sort();
    return names.map((name) => describe(name, statSync(join(path, name), { throwIfNoEntry: false }))).join('\n');
  } catch {
    return null;
  }
}
