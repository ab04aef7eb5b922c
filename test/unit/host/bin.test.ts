import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemBin } from '../../../host/service/bin/bin.ts';
import { freedesktopBin } from '../../../host/service/bin/freedesktopBin.ts';

let folder: string;
const at = (...parts: string[]): string => join(folder, ...parts);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-bin-'));
  mkdirSync(at('data'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform === 'win32')('the bin of freedesktop.org', () => {
  const bin = () => freedesktopBin({ XDG_DATA_HOME: at('home') });

  it('holds the file, and where it was and when it came', async () => {
    const file = at('data/my run, 100 %.arrow');
    writeFileSync(file, 'content');
    await bin().put(file);
    expect(existsSync(file)).toBe(false);
    expect(readFileSync(at('home/Trash/files/my run, 100 %.arrow'), 'utf8')).toBe('content');
    const info = readFileSync(at('home/Trash/info/my run, 100 %.arrow.trashinfo'), 'utf8');
    const [title, path, date] = info.split('\n');
    expect(title).toBe('[Trash Info]');
    expect(decodeURIComponent(path?.replace(/^Path=/, '') ?? '')).toBe(file);
    expect(path).not.toContain(' ');
    expect(date).toMatch(/^DeletionDate=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/);
    expect(statSync(at('home/Trash/files')).mode & 0o777).toBe(0o700);
  });

  it('keeps two of the same name apart', async () => {
    for (const content of ['first', 'second']) {
      writeFileSync(at('data/a.arrow'), content);
      await bin().put(at('data/a.arrow'));
    }
    const names = readdirSync(at('home/Trash/files')).sort();
    expect(names).toEqual(['a.2.arrow', 'a.arrow']);
    expect(names.map((name) => readFileSync(at('home/Trash/files', name), 'utf8'))).toEqual(['second', 'first']);
  });

  it('lets go of it without a trace', async () => {
    writeFileSync(at('data/a.arrow'), '');
    const { takeOut } = await bin().put(at('data/a.arrow'));
    await takeOut?.();
    expect([readdirSync(at('home/Trash/files')), readdirSync(at('home/Trash/info'))]).toEqual([[], []]);
  });

  it('leaves the file where it is when it can not be moved', async () => {
    writeFileSync(at('home'), 'a file where the bin should be');
    writeFileSync(at('data/a.arrow'), '');
    await expect(bin().put(at('data/a.arrow'))).rejects.toThrow();
    expect(existsSync(at('data/a.arrow'))).toBe(true);
  });
});

it('is not there for a plain Node process on Windows and macOS', () => {
  expect([systemBin('win32'), systemBin('darwin')]).toEqual([null, null]);
  expect(systemBin('linux')).not.toBeNull();
});
