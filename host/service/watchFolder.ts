/**
 * Hears when files come into a folder, leave it or are replaced, whoever does it. The disk is asked, since the system's own
 * notices need a folder that is there, and don't tell what another machine does on a shared disk.
 */
import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';

const everyMs = 1000;

/** The folder need not exist. Returns what ends it. */
export function watchFolder(path: string, onChange: () => void): () => void {
  // Before anybody reads the folder: node:fs's own watcher looks for the first time when it gets round to it.
  let known = timeOf(() => statSync(path));
  let ended = false;
  const look = async (): Promise<void> => {
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: null }));
    if (ended || mtimeMs === known) return;
    known = mtimeMs;
    onChange();
  };
  const timer = setInterval(() => void look(), everyMs);
  timer.unref();
  return () => {
    ended = true;
    clearInterval(timer);
  };
}

/** Null where there is none, or it can't be read. */
function timeOf(look: () => { mtimeMs: number }): number | null {
  try {
    return look().mtimeMs;
  } catch {
    return null;
  }
}
