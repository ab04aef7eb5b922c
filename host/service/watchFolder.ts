/**
 * Hears when files come into a folder, leave it or are written anew, whoever does it. The disk is asked, since the system's
 * own notices need a folder that is there, and don't tell what another machine does on a shared disk.
 */
import { readdirSync, type Stats, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

const everyMs = 1000;

/** The folder need not exist. Returns what ends it. */
export function watchFolder(path: string, onChange: () => void): () => void {
  // Before anybody reads the folder: what came between reading and a later look would never be told.
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

/** Of a link to nothing there is only the name. */
const describe = (name: string, state: Stats | undefined): string => `${name} ${state?.mtimeMs} ${state?.size}`;

/** Another text where a file has come, gone or been written; null where the folder can't be read. */
async function stateOf(path: string): Promise<string | null> {
  try {
    const names = (await readdir(path)).sort();
    const states = names.map(async (name) => describe(name, await stat(join(path, name)).catch(() => undefined)));
    return (await Promise.all(states)).join('\n');
  } catch {
    return null;
  }
}

/** The same, while the caller waits. */
function stateNow(path: string): string | null {
  try {
    const names = readdirSync(path).sort();
    return names.map((name) => describe(name, statSync(join(path, name), { throwIfNoEntry: false }))).join('\n');
  } catch {
    return null;
  }
}
