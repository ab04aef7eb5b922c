/** Where a machine keeps what it records for another one: a folder of this user's alone, among the system's temporary ones. */
import { lstat, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

const prefix = 'copyscope-record-';
const partsName = 'parts';
/** As mkdtemp() names it. */
const madeName = new RegExp(`^${prefix}[A-Za-z0-9]{6}$`);

export const makeRecordingFolder = (): Promise<string> => mkdtemp(join(tmpdir(), prefix));

/** Where processes write; it goes with the folder around it. */
export const partsIn = (folder: string): string => join(folder, partsName);

/**
 * Whether it is one that was made here. A note names it, and what the note names is read and removed: the note may be
 * damaged, and what was made may have gone, and be somebody else's by now, or a link.
 */
export async function isRecordingFolder(parts: string): Promise<boolean> {
  const outer = dirname(parts);
  if (basename(parts) !== partsName || !madeName.test(basename(outer))) return false;
  const found = await lstat(outer).catch(() => null);
  return found?.isDirectory() === true && (process.getuid === undefined || found.uid === process.getuid());
}
