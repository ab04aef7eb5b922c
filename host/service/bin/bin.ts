/** The system's bin, which takes deleted files if this process can reach it. */
import { freedesktopBin } from './freedesktopBin.ts';

export interface Bin {
  /** Moves the file or folder to the bin. Rejects if the system doesn't; the file is still in its place then. */
  put(path: string): Promise<Binned>;
}

export interface Binned {
  /** Removes it from the bin after it was restored elsewhere; null if the system can't. */
  readonly takeOut: (() => Promise<void>) | null;
}

/**
 * Returns the bin of a Node process without Electron. Linux and the BSDs agree on folders for it (freedesktop.org).
 * Windows and macOS need system calls that Node lacks: null there, and files are deleted for good.
 */
export function systemBin(platform: NodeJS.Platform = process.platform): Bin | null {
  return platform === 'win32' || platform === 'darwin' ? null : freedesktopBin();
}
