/** Where deleted files go before they are gone: the system's bin, where there is one that this process can reach. */
import { freedesktopBin } from './freedesktopBin.ts';

export interface Bin {
  /** Moves the file, or the folder, there. Rejects where the system doesn't; it is still in its place then. */
  put(path: string): Promise<Binned>;
}

export interface Binned {
  /** Takes it out of the bin for good, since it was put back elsewhere; null where the system offers no way. */
  readonly takeOut: (() => Promise<void>) | null;
}

/**
 * The bin of a Node process without Electron. Linux and the BSDs agree on folders for it (freedesktop.org). Windows and
 * macOS keep theirs behind system calls that Node doesn't have: null, and what is deleted there is gone.
 */
export function systemBin(platform: NodeJS.Platform = process.platform): Bin | null {
  return platform === 'win32' || platform === 'darwin' ? null : freedesktopBin();
}
