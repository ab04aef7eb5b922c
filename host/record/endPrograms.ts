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
  const known = new Set<number>();
  for (;;) {
    const found = (await programsWith(marked, end)).filter((pid) => !known.has(pid));
    if (found.length === 0) return;
    for (const pid of found) known.add(pid);
  }
}

/** Processes with this in their environment, each told as it is found. */
async function programsWith(variable: string, onFound: (pid: number) => void): Promise<number[]> {
  const pids = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids) {
    // Of other users' processes, and of those that have ended meanwhile, nothing can be read.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(variable)) continue;
    onFound(pid);
    found.push(pid);
  }
  return found;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
