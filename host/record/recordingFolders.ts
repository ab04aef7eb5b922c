/**
 * The folders of recorded programs, until their run is stored. A killed host leaves its folder: the next start ends the
 * program, as the host's own end would have, and stores the recorded data.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { privately, writeWhole } from '../files/files.ts';
import { readIfSound } from '../files/stored.ts';
import { isLeftBehind, ownName } from '../files/thisProcess.ts';
import { folderVariable } from './recordSettings.ts';

/**
 * Ends the programs that record into `folder`, which their environment names, and their children. Searches again for
 * children started during the search.
 */
async function endProgramsOf(folder: string): Promise<void> {
  const marked = `${folderVariable}=${resolve(folder)}`;
  const ended = new Set<string>();
  let before: number;
  do {
    before = ended.size;
    for (const number of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
      // Processes of other users, and those that have ended, can't be read.
      const environment = await readFile(`/proc/${number}/environ`, 'utf8').catch(() => '');
      if (!environment.split('\0').includes(marked)) continue;
      end(Number(number));
      ended.add(number);
    }
  } while (ended.size > before);
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

const noteSchema = z.strictObject({
  /** Name of its run. */
  name: z.string(),
  /** Id of its run: if that exists, only the folder is left to remove. */
  run: z.string().nullable(),
});

type RecordingNote = z.infer<typeof noteSchema>;

const noteName = 'recording.json';
const maxNoteBytes = 64 * 1024;

/** Rejects with a file error. */
export async function beginRecordingFolder(parent: string, name: string): Promise<string> {
  const folder = join(parent, ownName());
  await writeNote(folder, { name, run: null });
  return folder;
}

export const writeNote = (folder: string, note: RecordingNote): Promise<void> =>
  writeWhole(join(folder, noteName), JSON.stringify(note), privately);

/** Returns a default if the host was killed before it could write one. */
export const readNote = async (folder: string): Promise<RecordingNote> =>
  (await readIfSound(noteSchema, join(folder, noteName), maxNoteBytes)) ?? { name: 'recording', run: null };

/** Removes the note last, so that it describes the folder as long as recorded data is there. */
export async function removeWithNote(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one !== noteName)) await rm(join(folder, name), { recursive: true });
  await rm(folder, { recursive: true, force: true });
}

/** Moves a folder that gives no run to a name that no start reads. Returns its path. */
export async function setAside(folder: string, id: string): Promise<string> {
  const aside = join(folder, '..', id);
  await rename(folder, aside);
  return aside;
}

/** Returns folders left by ended hosts, each renamed to this process's own, so that only one starting host gets it. */
export async function claimLeftRecordings(parent: string): Promise<string[]> {
  const claimed: string[] = [];
  const paths = (await readdir(parent).catch(() => [])).map((name) => join(parent, name));
  for (const left of paths.filter(isLeftBehind)) {
    const folder = join(parent, ownName());
    await endProgramsOf(left);
    try {
      await rename(left, folder);
      claimed.push(folder);
    } catch {
      // Another host has claimed it.
    }
  }
  return claimed;
}
