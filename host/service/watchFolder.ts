/**
 * Hears when files come into a folder, leave it or are replaced, whoever does it. The disk is asked, since the system's own
 * notices need a folder that is there, and don't tell what another machine does on a shared disk.
 */
import { type Stats, unwatchFile, watchFile } from 'node:fs';

const everyMs = 1000;

/** The folder need not exist. Returns what ends it. */
export function watchFolder(path: string, onChange: () => void): () => void {
  const look = (now: Stats, before: Stats): void => {
    if (now.mtimeMs !== before.mtimeMs) onChange();
  };
  watchFile(path, { interval: everyMs, persistent: false }, look);
  return () => unwatchFile(path, look);
}
