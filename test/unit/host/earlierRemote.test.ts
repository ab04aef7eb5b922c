/** Data folders of versions with remote machines: they open, or one sentence names the ignored data. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { readKept, sweepSummary } from '../../../host/library/keptSweep.ts';
import { RemoteHosts } from '../../../host/remote/hosts.ts';
import { earlierSlurm, readSettings } from '../../../host/slurm/settingsStore.ts';
import { newFolder } from '../../support/newFolder.ts';
import { readers } from '../support/readers.ts';

let folder: string;
beforeEach(() => {
  folder = newFolder();
});

it('opens a sweep that another machine or its Slurm ran', () => {
  const document = readers['kept sweep']?.document as object;
  const earlier = { ...document, host: 'gpu-box', slurm: { host: 'login', work: '0123456789abcdef' } };
  const summary = sweepSummary(readKept('a', JSON.stringify(earlier), ''), false);
  expect(summary).toMatchObject({ status: 'stopped', host: 'gpu-box', slurm: { jobs: null } });
});

it('ignores machines of an earlier version and says so, also if the file is damaged', async () => {
  const hosts = new RemoteHosts(folder);
  expect(await hosts.earlierVersion()).toBeNull();
  writeFileSync(join(folder, 'machines.json'), '{');
  expect(await hosts.names()).toEqual([]);
  expect(await hosts.earlierVersion()).toContain('machines.json of an earlier version is ignored');
});

it('ignores settings and jobs of Slurm of an earlier version and says so', async () => {
  expect(earlierSlurm(folder)).toBeNull();
  writeFileSync(join(folder, 'slurm.json'), '{');
  mkdirSync(join(folder, 'slurm'));
  expect(await readSettings(folder)).toEqual({ lines: [], options: [] });
  expect(earlierSlurm(folder)).toMatch(/slurm\.json and \S+slurm of an earlier version are ignored/);
});
