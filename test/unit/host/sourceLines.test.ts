/** Lines of compiled code, if addr2line is slow: a stand-in for it on the PATH. */
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { addressKey, type NativeFrame } from '../../../core/import/recorded/recordedProcess.ts';
import { sourceLines } from '../../../host/record/sourceLines.ts';
import { newFolder } from '../../support/newFolder.ts';

let folder: string;

beforeEach(() => {
  folder = newFolder();
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Puts a stand-in on the PATH, which logs its start. */
function standIn(script: string): void {
  const path = join(folder, 'addr2line');
  writeFileSync(path, `#!/bin/sh\necho once >> '${folder}/started'\n${script}\n`);
  chmodSync(path, 0o755);
}

const started = (): number => {
  const notes = join(folder, 'started');
  return existsSync(notes) ? readFileSync(notes, 'utf8').split('\n').length - 1 : 0;
};

/** Returns a call in a separate library. */
function frame(name: string): NativeFrame {
  const file = join(folder, name);
  writeFileSync(file, '');
  return { file, line: 0, function: 'work', address: 16 };
}

describe.skipIf(process.platform === 'win32')('the lines of compiled code', () => {
  it('are what addr2line tells, by file and address', async () => {
    standIn("printf 'work(int)\\n/src/work.cpp:12\\n'");
    const asked = frame('libwork.so');
    expect([...(await sourceLines([asked]))]).toEqual([
      [addressKey(asked), { file: '/src/work.cpp', line: 12, function: 'work(int)' }],
    ]);
  });

  it('are waited for no longer for many libraries than for one', async () => {
    standIn('exec sleep 600');
    const found = await sourceLines(['liba.so', 'libb.so', 'libc.so'].map(frame), 1000);
    expect(found.size).toBe(0);
    expect(started()).toBeLessThan(2);
  });

  it('are no part of a line: what is cut off at the end of that time may lack digits', async () => {
    standIn("printf 'work\\n/src/work.cpp:12'; exec sleep 600");
    expect((await sourceLines([frame('libwork.so')], 1000)).size).toBe(0);
  });
});
