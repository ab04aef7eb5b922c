/** Sockets of keepers that were killed, which nobody else would take away. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel lists: paths that a process has bound a socket to. */
const boundSockets = (): string => readFileSync('/proc/net/unix', 'utf8');

/** Takes away those in `folder` that no process has. */
export function clearGoneSockets(folder: string, bound: () => string = boundSockets): void {
  // Before the list: a socket that comes in between is then in the list, and not among the names.
  const names = readdirSync(folder);
  const listed = bound();
  for (const name of names) {
    const path = join(folder, name);
    if (!listed.includes(path)) rmSync(path, { force: true });
  }
}
