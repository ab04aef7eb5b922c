/** Lines of compiled code, if addr2line is slow: a stand-in for it on the PATH. */
import { chmodSync, writeFileSync } from 'node:fs';
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

/** Puts a stand-in on the PATH. */
function standIn(script: string): void {
  const path = join(folder, 'addr2line');
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

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

  it('are no part of a line: what is cut off at the end of that time may lack digits', async () => {
    standIn("printf 'work\\n/src/work.cpp:12'; exec sleep 600");
    expect((await sourceLines([frame('libwork.so')], 1000)).size).toBe(0);
  });
});
