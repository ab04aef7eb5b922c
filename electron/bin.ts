/** The system's bin through Electron, on every system. It can put files there, but not take them out. */
import { shell } from 'electron';
import type { Bin } from '../host/service/bin/bin.ts';

export const desktopBin: Bin = {
  put: async (path) => {
    await shell.trashItem(path);
    return { takeOut: null };
  },
};
