/**
 * The folders in which programs are recorded, until their run is kept. A host that is killed leaves its own: the next start
 * ends the program, as the host's own end would have, and keeps what it had recorded.
 */
import { readdir, readFile, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { checkShape } from '../../core/shape/checkShape.ts';
import { folderVariable } from '../record/recordSettings.ts';
import { privately, readBoundedText, writeWhole } from './files.ts';
import { isLeftBehind, ownName } from './thisProcess.ts';

/**
 * Those that were told to record into `folder`, with all that they have started: their environment says so. What they start
 * while one looks is found by looking again.
 */
async function endProgramsOf(folder: string): Promise<void> {
  const marked = `${folderVariable}=${resolve(folder)}`;
  const ended = new Set<string>();
  let before: number;
  do {
    before = ended.size;
    for (const number of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
      // Of other users' processes, and of those that have ended meanwhile, nothing can be read.
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
    // It has ended meanwhile.
  }
}

const noteSchema = z.strictObject({
  /** What its run is called. */
  name: z.string(),
  /** The run that is made of it: where that is there, all is done but to remove the folder. */
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

/** Of a host that was killed before it could write one there is none. */
export async function readNote(folder: string): Promise<RecordingNote> {
  const none = { name: 'recording', run: null };
  try {
    const shape = checkShape(noteSchema, JSON.parse(await readBoundedText(join(folder, noteName), maxNoteBytes)));
    return shape.ok ? shape.value : none;
  } catch {
    return none;
  }
}

/** The note goes last: as long as anything that was recorded is there, it says what became of it. */
export async function removeWithNote(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => one !== noteName)) await rm(join(folder, name), { recursive: true });
  await rm(folder, { recursive: true, force: true });
}

/** What is in it can't be made a run: it stays under a name that no start looks at. Its path. */
export async function setAside(folder: string, id: string): Promise<string> {
  const aside = join(folder, '..', id);
  await rename(folder, aside);
  return aside;
}

/** What hosts that have ended left, each renamed to this process's own: of several that start at once one has it. */
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
      // Another one has it.
    }
  }
  return claimed;
}
