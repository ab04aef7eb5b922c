import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { newFolder } from '../support/newFolder.ts';
import type * as StandIn from './support/electron.ts';

vi.mock('electron', () => import('./support/electron.ts'));
vi.mock('electron-log/main', () => ({ default: { warn: vi.fn() } }));
const autoUpdater = {
  autoDownload: true,
  logger: null,
  checkForUpdates: vi.fn(),
  downloadUpdate: vi.fn(async () => []),
  quitAndInstall: vi.fn(),
};
vi.mock('electron-updater', () => ({ default: { autoUpdater } }));

const electron = (await import('electron')) as unknown as typeof StandIn;
const { offerUpdate } = await import('../../electron/updates.ts');
const { log } = await import('../../electron/logging.ts');

const resources = newFolder();
writeFileSync(join(resources, 'app-update.yml'), 'provider: generic\n');

const answer = (...answers: number[]): void => {
  for (const response of answers) electron.dialog.showMessageBox.mockResolvedValueOnce({ response });
};

beforeEach(() => {
  vi.clearAllMocks();
  autoUpdater.autoDownload = true;
  autoUpdater.checkForUpdates.mockResolvedValue({ isUpdateAvailable: true, updateInfo: { version: '9.0.0' } });
});

describe('updates', () => {
  it('are off where no feed is named', async () => {
    await offerUpdate(undefined);
    await offerUpdate(join(resources, 'elsewhere'));
    expect(autoUpdater.checkForUpdates).not.toHaveBeenCalled();
  });

  it('are fetched and installed when the person agrees to each', async () => {
    answer(0, 0);
    await offerUpdate(resources);
    expect(autoUpdater.autoDownload).toBe(false);
    expect(electron.dialog.showMessageBox).toHaveBeenCalledWith(
      expect.objectContaining({ message: expect.stringContaining('9.0.0') }),
    );
    expect(autoUpdater.downloadUpdate).toHaveBeenCalledOnce();
    expect(autoUpdater.quitAndInstall).toHaveBeenCalledOnce();
  });

  it('are not fetched when the person declines, and wait for the end when they want that', async () => {
    answer(1);
    await offerUpdate(resources);
    expect(autoUpdater.downloadUpdate).not.toHaveBeenCalled();
    answer(0, 1);
    await offerUpdate(resources);
    expect(autoUpdater.downloadUpdate).toHaveBeenCalledOnce();
    expect(autoUpdater.quitAndInstall).not.toHaveBeenCalled();
  });

  it('asks for no update without a feed, and only logs that the feed is gone', async () => {
    autoUpdater.checkForUpdates.mockResolvedValueOnce({ isUpdateAvailable: false, updateInfo: { version: '0.1.0' } });
    await offerUpdate(resources);
    autoUpdater.checkForUpdates.mockResolvedValueOnce(null);
    await offerUpdate(resources);
    autoUpdater.checkForUpdates.mockRejectedValueOnce(new Error('net::ERR_INTERNET_DISCONNECTED'));
    await offerUpdate(resources);
    expect(log.warn).toHaveBeenCalledOnce();
    expect(electron.dialog.showMessageBox).not.toHaveBeenCalled();
  });
});
