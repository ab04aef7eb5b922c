import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { parseSync } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { newFolder } from '../support/newFolder.ts';

const root = join(import.meta.dirname, '../..');
const work = newFolder();

beforeAll(() => {
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), 'host', 'electron'], { stdio: 'pipe' });
  // The layout of a package.
  cpSync(join(root, 'dist/electron'), join(work, 'dist/electron'), { recursive: true });
  cpSync(join(root, 'dist/host'), join(work, 'dist/host'), { recursive: true });
  copyFileSync(join(root, 'package.json'), join(work, 'package.json'));
  symlinkSync(join(root, 'assets'), join(work, 'assets'));
});

it('the built command line finds the reader of Nsight Systems exports in its own folder', () => {
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

describe('the built main process', () => {
  it('finds all that it imports in Node, in Electron or in its own folder', () => {
    const scripts = readdirSync(join(work, 'dist/electron')).filter((name) => name.endsWith('.js'));
    const imported = scripts.flatMap((name) =>
      parseSync(name, readFileSync(join(work, 'dist/electron', name), 'utf8')).module.staticImports.map(
        ({ moduleRequest }) => moduleRequest.value,
      ),
    );
    expect(imported.length).toBeGreaterThan(10);
    const others = imported.filter((name) => !isBuiltin(name) && name !== 'electron' && !name.startsWith('./'));
    expect(others).toEqual([]);
  });

  it('has a preload script that the sandbox can load: CommonJS, small, nothing required but electron', () => {
    const script = readFileSync(join(work, 'dist/electron/preload.cjs'), 'utf8');
    expect([...script.matchAll(/require\(([^)]*)\)/g)].map((match) => match[1])).toEqual(['"electron"']);
    expect(script).not.toMatch(/^(import|export) /m);
    expect(script.length).toBeLessThan(2048);
  });
});
