/**
 * Watches a folder for new, deleted or rewritten files. It polls the disk, since the system's notices need an existing
 * folder and miss changes by another machine on a shared disk.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

const everyMs = 1000;

/** The folder need not exist; it has few files. Returns a function that ends the watching. */
export function watchFolder(path: string, onChange: () => void): () => void {
  // Taken before anything reads the folder, since a change between reading and a later look would be missed.
  let known = stateOf(path);
  const timer = setInterval(() => {
    const state = stateOf(path);
    if (state === known) return;
    known = state;
    onChange();
  }, everyMs).unref();
  return () => clearInterval(timer);
}

/** A link to a missing file has only a name. */
const describe = (name: string, state: Stats | undefined): string => `${name} ${state?.mtimeMs} ${state?.size}`;

/** Returns a text that changes if a file is added, deleted or written; null if the folder can't be read. */
function stateOf(path: string): string | null {
  try {
    const names = readdirSync(path).sort();
    return names.map((name) => describe(name, statSync(join(path, name), { throwIfNoEntry: false }))).join('\n');
  } catch {
    return null;
  }
}
