/** Allows one Copyscope at a time: two would run experiments on one GPU at once and falsify each other's times. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { App, BrowserWindow } from 'electron';

const extensions = ['arrow', 'json', 'gz', 'copyscope'];

/** Filters of the open dialog. */
export const fileFilters = [
  { name: 'Runs, experiments, bundles and PyTorch traces', extensions },
  { name: 'All files', extensions: ['*'] },
];

/** Returns true if Copyscope opens files with this ending. */
export const opensFile = (path: string): boolean =>
  extensions.some((extension) => path.toLowerCase().endsWith(`.${extension}`));

export interface SingleInstance {
  readonly currentWindow: () => BrowserWindow | undefined;
  /** Called with the files that a second start was given. */
  readonly openFiles: (paths: readonly string[]) => void;
}

/** Returns false if another instance already runs: it has received the files, and this one must end. */
export function claimSingleInstance(app: App, { currentWindow, openFiles }: SingleInstance): boolean {
  if (!app.requestSingleInstanceLock()) {
    app.quit();
    return false;
  }
  app.on('second-instance', (_event, argv, folder) => {
    const window = currentWindow();
    if (window?.isMinimized()) window.restore();
    window?.focus();
    openFiles(filesAmong(argv.slice(1), folder));
  });
  return true;
}

/** Returns absolute paths of the command line's words that are files for Copyscope, without Chromium's switches. */
export function filesAmong(words: readonly string[], folder: string): string[] {
  return words
    .filter((word) => !word.startsWith('-') && opensFile(word))
    .flatMap((word) => (word.startsWith('file://') ? pathOfUrl(word) : resolve(folder, word)));
}

/** Returns the path of a file URL, which Linux desktops pass in place of a path; empty if it names no local file. */
function pathOfUrl(address: string): string[] {
  try {
    return [fileURLToPath(address)];
  } catch {
    return [];
  }
}
