/** Windows are notified of profiles written by another process, such as `copyscope calibrate`. */
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownProfilesFolder } from '../../../host/paths.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';

let folder: string;
let host: Host;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-profiles-'));
  host = createHost({
    about: { version: '0.1.0', shell: 'browser', platform: 'linux', dataFolder: folder },
    assetsFolder: join(repository, 'assets'),
    spawnEngine: () => {
      throw new Error('no engine is needed');
    },
  });
});
afterEach(() => {
  host.close();
  rmSync(folder, { recursive: true, force: true });
});

it('each that comes and each that goes, the first of all too', async () => {
  const told = toldWindow();
  host.addWindow(told);
  const own = ownProfilesFolder(folder);
  const names = async () => (await host.service.profiles()).flatMap((profile) => (profile.own ? profile.name : []));
  mkdirSync(own);
  copyFileSync(join(repository, 'assets/profiles/h200.json'), join(own, 'mine.json'));
  await eventually(async () => {
    expect(told.profilesChanged).toHaveBeenCalled();
    expect(await names()).toEqual(['mine']);
  });
  told.profilesChanged.mockClear();
  rmSync(join(own, 'mine.json'));
  await eventually(() => expect(told.profilesChanged).toHaveBeenCalled());
  expect(await names()).toEqual([]);
});
