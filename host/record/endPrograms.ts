/** Ends programs that are recorded for nobody any more. */
import { readdir, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { folderVariable } from './recordSettings.ts';

/**
 * Those that were told to record into `folder`, with all that they have started: their environment says so. What they start
 * while one looks is found by looking again.
 */
export async function endProgramsOf(folder: string): Promise<void> {
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
