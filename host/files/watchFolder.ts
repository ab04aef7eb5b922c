/**
 * Watches a folder for new, deleted or rewritten files. It polls the disk, since the system's notices need an existing
 * folder and miss changes by another machine on a shared disk.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const everyMs = 1000;

/** The folder need not exist. Returns a function that ends the watching. */
export function watchFolder(path: string, onChange: () => void): () => void {
  // Taken before anything reads the folder, since a change between reading and a later look would be missed.
  let known = stateNow(path);
  let ended = false;
  const look = async (): Promise<void> => {
    const state = await stateOf(path);
    if (!ended && state !== known) {
      known = state;
      onChange();
    }
    if (!ended) lookLater();
  };
  let timer: NodeJS.Timeout;
  const lookLater = (): void => {
    timer = setTimeout(() => void look(), everyMs).unref();
  };
  lookLater();
  return () => {
    ended = true;
    clearTimeout(timer);
  };
}

/** A link to a missing file has only a name. */
const describe = (name: string, state: Stats | undefined): string => `${name} ${state?.mtimeMs} ${state?.size}`;

/** Returns a text that changes if a file is added, deleted or written; null if the folder can't be read. */
async function stateOf(path: string): Promise<string | null> {
  try {
    const names = (await readdir(path)).sort();
    const states = names.map(async (name) => describe(name, await stat(join(path, name)).catch(() => undefined)));
    return (await Promise.all(states)).join('\n');
  } catch {
    return null;
  }
}

/** Does the same synchronously. */
function stateNow(path: string): string | null {
  try {
    const names = readdirSync(path).sort();
    return names.map((name) => describe(name, statSync(join(path, name), { throwIfNoEntry: false }))).join('\n');
  } catch {
    return null;
  }
}
