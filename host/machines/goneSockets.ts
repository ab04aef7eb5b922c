/** Sockets of keepers that were killed, which nobody else would take away. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel lists: paths that a process has bound a socket to. */
const boundSockets = (): string => readFileSync('/proc/net/unix', 'utf8');

/** Takes away those in `folder` that no process has; none where nothing says which that are, as on macOS. */
export function clearGoneSockets(folder: string, bound: () => string = boundSockets): void {
  // Before the list: a socket that comes in between is then in the list, and not among the names.
  const names = readdirSync(folder);
  let listed: string;
  try {
    listed = bound();
  } catch {
    return;
  }
  for (const name of names) {
    const path = join(folder, name);
    if (!listed.includes(path)) rmSync(path, { force: true });
  }
}
