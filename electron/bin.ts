/** The system's bin, as Electron reaches it on every system. It can put a file there, and never take one out. */
import { shell } from 'electron';
import type { Bin } from '../host/service/bin/bin.ts';

export const desktopBin: Bin = {
  put: async (path) => {
    await shell.trashItem(path);
    return { takeOut: null };
  },
};
