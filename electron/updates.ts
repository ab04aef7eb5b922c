/**
 * Updates from the release feed that a package names (COPYSCOPE_FEED, docs/development/releasing.md); without a feed
 * nothing is requested. The user is asked before anything is fetched, and again before the app restarts.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describeError, toErrorInfo } from '../core/errors.ts';
import { agreed, log } from './logging.ts';

/** electron-builder writes the feed there. */
const feedFile = 'app-update.yml';

/** Never rejects: without a network, or if the feed is gone, the app stays as it is. */
export async function offerUpdate(resources: string | undefined = process.resourcesPath): Promise<void> {
  if (resources === undefined || !existsSync(join(resources, feedFile))) return;
  try {
    const { autoUpdater } = (await import('electron-updater')).default;
    autoUpdater.logger = log;
    autoUpdater.autoDownload = false;
    const found = await autoUpdater.checkForUpdates();
    if (found?.isUpdateAvailable !== true) return;
    const { version } = found.updateInfo;
    if (!(await agreed(`Copyscope ${version} is available.`, 'Download', 'Later'))) return;
    await autoUpdater.downloadUpdate();
    if (await agreed(`Copyscope ${version} is downloaded.`, 'Restart Now', 'When I Quit')) autoUpdater.quitAndInstall();
  } catch (thrown) {
    log.warn('The update failed:', describeError(toErrorInfo(thrown)));
  }
}
