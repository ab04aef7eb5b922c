import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { lastingFolder, temporaryFolder } from '../../../host/files/temporaryFolder.ts';

let folder: string;
let left: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-temporary-'));
  vi.stubEnv('TMPDIR', folder);
  const ended = spawnSync(process.execPath, ['--version']).pid;
  left = join(folder, `copyscope.${ended}-0f3a9c1e-5b2d8c47`);
  mkdirSync(left);
  writeFileSync(join(left, 'part'), 'of a process that was killed');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

describe('a temporary folder', () => {
  it('a temporary folder is deleted on a signal, and a lasting one stays for its owner', async () => {
    const listener = vi.fn();
    process.on('SIGTERM', listener);
    const [lasting, temporary] = [lastingFolder(), temporaryFolder()];
    process.emit('SIGTERM', 'SIGTERM');
    expect([lasting, temporary.path].map((path) => existsSync(path))).toEqual([true, false]);
    expect(temporary.signal.aborted).toBe(true);
    process.off('SIGTERM', listener);
  });

  it("a killed process's folder is deleted when the next one is made", () => {
    lastingFolder();
    expect(existsSync(left)).toBe(false);
  });
});
