/** Runs that another machine asked for: what is noted of them is believed as far as it can be true. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Jobs } from '../../../host/machines/jobs.ts';
import { makeRecordingFolder } from '../../../host/machines/recordingFolder.ts';
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

describe.skipIf(process.platform === 'win32')('what a killed keeper recorded', () => {
  it('was for its user alone', async () => {
    const umask = process.umask(0);
    const folders = [await makeRecordingFolder(), await beginRecordingFolder(work, 'a')];
    process.umask(umask);
    for (const folder of folders) expect(statSync(folder).mode & 0o777).toBe(0o700);
    rmSync(folders[0] ?? '', { recursive: true });
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
