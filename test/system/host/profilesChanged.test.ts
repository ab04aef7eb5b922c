/** Windows are notified of profiles written by another process, such as `copyscope calibrate`. */
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ownProfilesFolder } from '../../../host/paths.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';

let folder: string;
let host: Host;

beforeEach(() => {
  folder = newFolder();
  host = hostOf(folder);
});
afterEach(() => {
  host.close();
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
