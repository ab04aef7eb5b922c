/**
 * A folder of this process's own for what must not outlive it. Several hosts may share one data folder: each clears away
 * only what processes that have ended left behind.
 */
import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A name below `parent` that nothing has. The folder itself is made by whoever needs it. */
export function processFolder(parent: string): string {
  for (const name of namesIn(parent)) {
    const owner = Number(/^(\d+)-/.exec(name)?.[1] ?? 0);
    if (!isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
  return join(parent, `${process.pid}-${randomUUID().slice(0, 8)}`);
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isAlive(pid: number): boolean {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
