/** Processes that a test started. */
import { readdirSync, readFileSync } from 'node:fs';

/** Kills a process that may have ended already. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** Returns the processes whose command line names a file below the folder. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => ({ pid: Number(pid), command: commandOf(pid) }))
    .filter(({ command }) => command.includes(folder));
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
