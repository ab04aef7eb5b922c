/** The data folder at a start: closed to other users, and without what a process left that was killed as it wrote. */
import { chmodSync, type Dirent, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftBehind } from './thisProcess.ts';

/** What Copyscope itself makes in the data folder. */
const names = [
  'cache',
  'deleted',
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
  'unfinished',
] as const;

/**
 * Folders are made for their user alone (files.ts); those that came with other modes, as from an earlier version, are
 * closed here. The data folder itself may be one that someone chose and keeps other things in: it stays as it is.
 */
export function closeOwnFolders(dataFolder: string): void {
  for (const name of names) {
    const folder = join(dataFolder, name);
    try {
      const { mode, uid } = statSync(folder);
      if (uid === process.getuid?.() && (mode & 0o077) !== 0) chmodSync(folder, mode & 0o700);
    } catch {
      // It isn't there yet, or on a disk that knows no modes.
    }
  }
}

/** Removes the unfinished files (see files.ts) of processes that have ended. */
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
