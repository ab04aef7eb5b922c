/** Runs that another machine asked for: what is noted of them is believed as far as it can be true. */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Jobs } from '../../../host/machines/jobs.ts';
import { makeRecordingFolder, partsIn } from '../../../host/machines/recordingFolder.ts';
import { beginRecordingFolder } from '../../../host/service/recordingFolders.ts';

const id = '6f1c1f0e-6a5b-4f3c-8a9e-0d1c2b3a4f5e';
/** Numbers of processes end far below. */
const ended = 2 ** 31 - 2;
let work: string;
let jobs: Jobs;

beforeEach(() => {
  work = mkdtempSync(join(tmpdir(), 'copyscope-jobs-'));
  jobs = new Jobs(work);
});
afterEach(() => rmSync(work, { recursive: true, force: true }));

/** A keeper that was killed, with the note of the program that it recorded. */
function left(parts: string, program = ended): void {
  mkdirSync(join(work, id));
  const meta = { name: 'a', engine: 'recorder', startedAt: '2026-11-20T09:00:00.000Z', pid: ended, node: hostname() };
  writeFileSync(join(work, id, 'meta.json'), JSON.stringify(meta));
  jobs.noteProgram(id, { parts, pid: program, name: 'a', host: 'here' });
}

describe('a note of a job', () => {
  it('is not read where it is larger than any that was written', async () => {
    const begun = await jobs.begin({ name: 'a', engine: 'cpu' });
    expect(await jobs.list()).toHaveLength(1);
    appendFileSync(join(work, begun, 'meta.json'), ' '.repeat(2 ** 20));
    expect(await jobs.list()).toEqual([]);
  });
});

describe('a result', () => {
  /** It comes when this process is asked for, which has ended by then. */
  const comesWhenAskedFor = (pid: number): void => {
    vi.spyOn(process, 'kill').mockImplementation((asked) => {
      if (asked === pid) writeFileSync(join(work, id, 'run.arrow'), 'run');
      throw Object.assign(new Error('no such process'), { code: 'ESRCH' });
    });
  };
  afterEach(() => void vi.restoreAllMocks());

  it('stays where its keeper keeps it and ends while it is looked for', async () => {
    left(join(work, 'parts'));
    comesWhenAskedFor(ended);
    expect(await jobs.list()).toMatchObject([{ id, status: 'done', bytes: 3 }]);
    expect(existsSync(join(work, id, 'run.arrow'))).toBe(true);
  });

  it('stays where somebody else keeps it while it is looked for', async () => {
    const parts = partsIn(await makeRecordingFolder());
    mkdirSync(parts);
    left(parts, ended - 1);
    comesWhenAskedFor(ended - 1);
    expect(await jobs.list()).toMatchObject([{ id, status: 'done', bytes: 3 }]);
    expect(existsSync(join(work, id, 'run.arrow'))).toBe(true);
    expect(existsSync(dirname(parts))).toBe(false);
  });
});

describe.skipIf(process.platform === 'win32')('what a killed keeper recorded', () => {
  it('was for its user alone', async () => {
    const umask = process.umask(0);
    const folders = [await makeRecordingFolder(), await beginRecordingFolder(work, 'a')];
    process.umask(umask);
    for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folders[0] ?? '', { recursive: true });
  });

  it('goes where there is nothing in it', async () => {
    const parts = partsIn(await makeRecordingFolder());
    mkdirSync(parts);
    left(parts);
    expect(await jobs.list()).toEqual([]);
    expect(existsSync(dirname(parts))).toBe(false);
  });

  it('stays, with all around it, where the note names a folder that was not made for it', async () => {
    const parts = join(work, 'mine', 'parts');
    mkdirSync(parts, { recursive: true });
    writeFileSync(join(work, 'mine', 'thesis.txt'), 'x');
    left(parts);
    expect(await jobs.list()).toEqual([]);
    expect(existsSync(join(work, 'mine', 'thesis.txt'))).toBe(true);
  });

  it('is not looked for behind a link that has its name', async () => {
    mkdirSync(join(work, 'other', 'parts'), { recursive: true });
    symlinkSync(join(work, 'other'), join(work, 'copyscope-record-abc123'));
    left(join(work, 'copyscope-record-abc123', 'parts'));
    expect(await jobs.list()).toEqual([]);
    expect(existsSync(join(work, 'copyscope-record-abc123'))).toBe(true);
  });
});
