/** A real disk that fills up, if this process may mount one. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { writeWhole } from '../../../host/files/files.ts';

const folder = mkdtempSync(join(tmpdir(), 'copyscope-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]).status === 0;
afterAll(() => {
  if (mounted) spawnSync('umount', ['-l', folder]);
  rmSync(folder, { recursive: true, force: true });
});

describe('a file that is replaced', () => {
  const inFolder = mkdtempSync(join(tmpdir(), 'copyscope-files-'));
  afterAll(() => rmSync(inFolder, { recursive: true, force: true }));

  it('keeps its mode, and a link to it stays a link', async () => {
    const [path, link] = [join(inFolder, 'real.json'), join(inFolder, 'link.json')];
    writeFileSync(path, 'old');
    chmodSync(path, 0o640);
    symlinkSync(path, link);
    await writeWhole(link, 'new');
    expect(readFileSync(path, 'utf8')).toBe('new');
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(inFolder).sort()).toEqual(['link.json', 'real.json']);
  });
});
