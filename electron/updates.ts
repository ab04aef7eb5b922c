/**
 * Updates from the release feed that a package names (COPYSCOPE_FEED, docs/development/releasing.md); without a feed
 * nothing is requested. The user is asked before anything is fetched, and again before the app restarts.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { dialog } from 'electron';
import { describeError, toErrorInfo } from '../core/errors.ts';
import { log } from './logging.ts';

/** electron-builder writes the feed there. */
const feedFile = 'app-update.yml';

export const hasFeed = (resources: string | undefined): boolean =>
  resources !== undefined && existsSync(join(resources, feedFile));

/** Never rejects: without a network, or if the feed is gone, the app stays as it is. */
export async function offerUpdate(resources: string | undefined = process.resourcesPath): Promise<void> {
  if (!hasFeed(resources)) return;
  try {
    const { autoUpdater } = (await import('electron-updater')).default;
    autoUpdater.logger = log;
    autoUpdater.autoDownload = false;
    const found = await autoUpdater.checkForUpdates();
    if (found?.isUpdateAvailable !== true) return;
    const { version } = found.updateInfo;
    if (!(await agreed(`Copyscope ${version} can be had.`, 'Download', 'Later'))) return;
    await autoUpdater.downloadUpdate();
    if (await agreed(`Copyscope ${version} is here.`, 'Restart Now', 'When I Quit')) autoUpdater.quitAndInstall();
  } catch (thrown) {
    log.warn('No update could be had:', describeError(toErrorInfo(thrown)));
  }
}

async function agreed(message: string, yes: string, no: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'info',
    message,
    buttons: [yes, no],
    defaultId: 1,
    cancelId: 1,
  });
  return response === 0;
}
