/** A folder of this process's own for what must not outlive it. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftBehind, ownName } from './thisProcess.ts';

/** A name below `parent` that nothing has. The folder itself is made by whoever needs it. */
export function processFolder(parent: string): string {
  for (const name of namesIn(parent)) {
    const path = join(parent, name);
    if (isLeftBehind(path)) rmSync(path, { recursive: true, force: true });
  }
  return join(parent, ownName());
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
