import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageProblems } from '../../scripts/lib/package-check.mjs';

const addon = 'native/build/Release/copyscope.node';
const good = {
  files: [
    'package.json',
    'LICENSE',
    'dist/electron/main.js',
    'dist/electron/preload.cjs',
    'dist/host/engine-process.js',
    'dist/host/machine.js',
    'dist/renderer/index.html',
    'dist/host/sqlite/node-sqlite3-wasm.cjs',
    'dist/host/sqlite/node-sqlite3-wasm.wasm',
    'dist/host/sqlite/LICENSE',
    'dist/electron/licenses.md',
    'dist/host/licenses.md',
    'dist/renderer/licenses.md',
    'dist/renderer/assets/index.js',
    'assets/examples/overlap/pinned-side-stream.json',
    'assets/profiles/h200.json',
    'assets/runs/h200/pinned-side-stream.arrow',
    addon,
  ],
  unpacked: [addon],
  texts: [['dist/electron/main.js', 'export {};']],
  fuses: {
    RunAsNode: false,
    EnableNodeOptionsEnvironmentVariable: false,
    EnableNodeCliInspectArguments: false,
    EnableCookieEncryption: true,
    OnlyLoadAppFromAsar: true,
    GrantFileProtocolExtraPrivileges: false,
  },
  assets: ['assets/profiles/h200.json', 'assets/runs/h200/pinned-side-stream.arrow'],
  localPaths: ['/home/someone/copyscope'],
  hasAddon: true,
};
const withFile = (file: string) => ({ ...good, files: [...good.files, file] });

describe('the packaging check', () => {
  it('finds nothing wrong with a package that is right', () => {
    expect(packageProblems(good)).toEqual([]);
  });

  it.each(good.files.filter((file) => !file.includes('index.js')))('misses %s', (missing) => {
    const files = good.files.filter((file) => file !== missing);
    expect(packageProblems({ ...good, files }).join('\n')).toMatch(/missing|holds nothing|not packed/);
  });

  it.each([
    'node_modules/zod/index.js',
    'dist/host/node_modules/ws/index.js',
    'core/units.ts',
    'native/build/executor.cpp',
    'test/unit/examples.test.ts',
    'dist/renderer/assets/index.js.map',
    'dist/host/.env',
    'assets/runs/key.pem',
    '.npmrc',
    'biome.json',
  ])('refuses %s', (file) => {
    expect(packageProblems(withFile(file)).join('\n')).toContain(file);
  });

  it('wants the addon beside the archive, where one was built', () => {
    expect(packageProblems({ ...good, unpacked: [] })).toEqual([expect.stringContaining(addon)]);
    const files = good.files.filter((file) => file !== addon);
    expect(packageProblems({ ...good, files, hasAddon: false })).toEqual([]);
  });

  it('finds secrets and folders of this machine in what is packed', () => {
    const key = `-----BEGIN RSA ${'PRIVATE'} KEY-----`;
    expect(packageProblems({ ...good, texts: [['a.js', key]] })).toEqual(['a.js holds what looks like a secret.']);
    const path = 'import "/home/someone/copyscope/core/units.ts"';
    expect(packageProblems({ ...good, texts: [['a.js', path]] })).toHaveLength(1);
  });

  it('wants every fuse set', () => {
    for (const [name, on] of Object.entries(good.fuses)) {
      expect(packageProblems({ ...good, fuses: { ...good.fuses, [name]: !on } })).toHaveLength(1);
    }
  });
});

describe('the package', () => {
  it('holds what it should, packed offline around a stand-in for Electron', () => {
    const script = join(import.meta.dirname, '../../scripts/package.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
    expect(stderr).not.toContain('Wrong:');
    expect(stdout).toContain('The package holds what it should.');
    expect(status).toBe(0);
  });
});
