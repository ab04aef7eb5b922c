/** Prepares the data folder at a start: closes it to other users, and removes unfinished files of killed processes. */
import { chmodSync, type Dirent, statSync } from 'node:fs';
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
