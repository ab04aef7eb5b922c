/** A work that somebody else drops at any moment: whoever opens it begins anew, and whoever looks finds nothing. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { SlurmFunctions } from '../../../host/slurm/protocol.ts';
import { workId } from '../../../host/slurm/work.ts';
import { WorkFolder } from '../../../host/slurm/workFolder.ts';
import { slurmWorks } from '../../../host/slurm/works.ts';
import { workFrom } from './support/streamsSweep.ts';

/** What happens once, before or after a file is read or written: 'before writeNew work.json'. */
const disk = vi.hoisted(() => ({ moment: '', happens: async (): Promise<void> => {} }));
vi.mock('../../../host/service/files.ts', async (original) => {
  const files = await original<typeof import('../../../host/service/files.ts')>();
  const isNow = async (moment: string): Promise<void> => {
    if (moment !== disk.moment) return;
    disk.moment = '';
    await disk.happens();
  };
  const around = async <Result>(name: string, path: string, act: () => Promise<Result>): Promise<Result> => {
    const what = `${name} ${path.slice(path.lastIndexOf('/') + 1)}`;
    await isNow(`before ${what}`);
    const result = await act();
    await isNow(`after ${what}`);
    return result;
  };
  return {
    ...files,
    writeNew: (path: string, ...rest: [string]) => around('writeNew', path, () => files.writeNew(path, ...rest)),
    readBoundedText: (path: string, most: number) =>
      around('readBoundedText', path, () => files.readBoundedText(path, most)),
  };
});

const work = workFrom(null);
const id = workId(work);
let folder: string;
let there: WorkFolder;
let slurm: SlurmFunctions;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-dropped-'));
  mkdirSync(join(folder, 'bin'));
  for (const name of ['squeue', 'sacct']) program(name, 'exit 0');
  there = new WorkFolder(join(folder, id));
  slurm = slurmWorks({ folder, start: ['copyscope'], environment: { PATH: `${join(folder, 'bin')}:/usr/bin:/bin` } });
});
afterEach(() => {
  disk.moment = '';
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

const program = (name: string, lines: string): void =>
  writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${lines}\n`, { mode: 0o755 });

function dropped(moment: string): void {
  disk.moment = moment;
  disk.happens = () => there.drop();
}

it.each(['before writeNew work.json', 'after writeNew work.json', 'before readBoundedText work.json'])(
  'it is opened anew where it is dropped %s',
  async (moment) => {
    await slurm.slurmOpen(id, work);
    dropped(moment);
    expect(await slurm.slurmOpen(id, work)).toMatchObject({ begunAt: work.createdAt, submissions: [], reached: [] });
    expect(disk.moment).toBe('');
    for (const name of ['work.json', 'points', 'output']) expect(existsSync(join(there.path, name))).toBe(true);
  },
);

it.each(['before readBoundedText submission-0.json', 'after readBoundedText submission-0.json'])(
  'nothing of it was submitted where it is dropped %s',
  async (moment) => {
    await slurm.slurmOpen(id, work);
    await there.claim({ number: 0, tasks: [[0], [1]], job: null });
    dropped(moment);
    expect(await slurm.slurmLook(id, true)).toEqual({ submissions: [], jobs: [], reached: [] });
    expect(disk.moment).toBe('');
  },
);

it('it is not asked what became of its jobs where it is dropped while Slurm is asked', async () => {
  await slurm.slurmOpen(id, work);
  await there.claim({ number: 0, tasks: [[0], [1]], job: null });
  program('squeue', `mv '${there.path}' '${folder}/away'`);
  expect(await slurm.slurmLook(id, true)).toMatchObject({ jobs: [], reached: [] });
});
