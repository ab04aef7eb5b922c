import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../support/newFolder.ts';

const root = join(import.meta.dirname, '../..');
const work = newFolder();

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'host', 'electron'], { stdio: 'pipe' });
  // The layout of a package, with the stand-in in place of Electron.
  cpSync(join(root, 'dist/electron'), join(work, 'dist/electron'), { recursive: true });
  cpSync(join(root, 'dist/host'), join(work, 'dist/host'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(work, 'package.json'));
  symlinkSync(join(root, 'assets'), join(work, 'assets'));
  mkdirSync(join(work, 'node_modules/electron'), { recursive: true });
  writeFileSync(join(work, 'node_modules/electron/package.json'), '{"name":"electron","main":"index.cjs"}');
  copyFileSync(join(import.meta.dirname, 'support/electronPackage.cjs'), join(work, 'node_modules/electron/index.cjs'));
});

describe('the built command line', () => {
  it('finds the reader of Nsight Systems exports in its own folder', () => {
    const file = join(work, 'mock.sqlite');
    writeFileSync(file, brotliDecompressSync(readFileSync(join(root, 'test/fixtures/nsight/mock.sqlite.br'))));
    const output = execFileSync(process.execPath, ['dist/host/cli.js', 'explain', file, '--json'], {
      cwd: work,
      env: { PATH: process.env['PATH'], HOME: work, COPYSCOPE_DATA: join(work, 'data') },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
      timeout: 60_000,
    });
    expect(JSON.parse(output)).toMatchObject({ status: 'complete', imported: { format: 'nsight-systems', rows: 13 } });
  });
});

describe('the built main process', () => {
  it('starts with only Electron in its folder, and runs an experiment for the page', () => {
    const output = execFileSync(process.execPath, ['dist/electron/main.js'], {
      cwd: work,
      env: { PATH: process.env['PATH'], HOME: work, COPYSCOPE_DATA: join(work, 'data') },
      encoding: 'utf8',
      timeout: 60_000,
    });
    const seen = JSON.parse(output);
    expect(seen).toMatchObject({
      scheme: 'copyscope',
      url: 'copyscope://app/',
      preferences: { preload: join(work, 'dist/electron/preload.cjs'), sandbox: true },
    });
    expect(seen.answers.about).toMatchObject({ shell: 'electron', dataFolder: join(work, 'data') });
    expect(seen.answers.devices.engines).toContainEqual(expect.objectContaining({ kind: 'sim', available: true }));
    expect(seen.answers.started).toMatchObject({ engine: 'sim', status: 'running', origin: 'simulated' });
    expect(seen.answers.ended.error).toBeUndefined();
    expect(seen.answers.ended).toMatchObject({ id: seen.answers.started.id, status: 'complete' });
    expect(seen.answers.unknown).toMatchObject({ code: 'request.unknown' });
  });

  it('has a preload script that the sandbox can load: CommonJS, small, nothing required but electron', () => {
    const script = readFileSync(join(work, 'dist/electron/preload.cjs'), 'utf8');
    expect([...script.matchAll(/require\(([^)]*)\)/g)].map((match) => match[1])).toEqual(['"electron"']);
    expect(script).not.toMatch(/^(import|export) /m);
    expect(script.length).toBeLessThan(2048);
  });
});
