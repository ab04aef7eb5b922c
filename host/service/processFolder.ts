/** A folder of this process for files that must not outlive it. */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isLeftBehind, ownName } from './thisProcess.ts';

/** Returns an unused name below `parent`. Its users make the folder. */
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
