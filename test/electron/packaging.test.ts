import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { artifactProblems, infoProblems, packageProblems } from '../../scripts/lib/package-check.mjs';

const addon = 'native/prebuilds/linux-x64/copyscope.node';
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
    'dist/renderer/third-party.md',
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
    EnableEmbeddedAsarIntegrityValidation: true,
    OnlyLoadAppFromAsar: true,
    GrantFileProtocolExtraPrivileges: false,
  },
  assets: ['assets/profiles/h200.json', 'assets/runs/h200/pinned-side-stream.arrow'],
  localPaths: ['/home/someone/copyscope'],
  addons: [addon],
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
    'native/prebuilds/executor.cpp',
    'native/build/Release/copyscope.node',
    'native/prebuilds/win32-x64/copyscope.node',
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
    expect(packageProblems({ ...good, files, addons: [] })).toEqual([]);
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

const artifact = {
  files: { copyscope: '1', 'resources/app.asar': '2', 'resources/apparmor-profile': '3' },
  packed: { copyscope: '1', 'resources/app.asar': '2' },
  desktop: `[Desktop Entry]
Exec=/opt/Copyscope/copyscope %U
StartupWMClass=copyscope
MimeType=application/vnd.copyscope.experiment+json;application/vnd.copyscope.bundle+gzip;application/vnd.apache.arrow.file;
`,
  mime: '<glob pattern="*.copyscope.json"/>',
  control: 'Package: copyscope\n',
};

describe("the check of Linux's packages", () => {
  it('finds nothing wrong with one that is right', () => {
    expect(artifactProblems(artifact, false)).toEqual([]);
    const { desktop, mime, control, ...archive } = artifact;
    expect(artifactProblems(archive, true)).toEqual([]);
  });

  it.each([
    ['another archive', { files: { ...artifact.files, 'resources/app.asar': '0' } }],
    ['no bundle', { desktop: artifact.desktop.replace('application/vnd.copyscope.bundle+gzip;', '') }],
    ['no sandbox', { desktop: artifact.desktop.replace(' %U', ' --no-sandbox %U') }],
    ['no files', { desktop: artifact.desktop.replace(' %U', '') }],
    ['another window', { desktop: artifact.desktop.replace('Class=copyscope', 'Class=Electron') }],
    ['no endings', { mime: '' }],
    ['another name', { control: 'Package: electron\n' }],
  ])('finds %s', (_what, wrong) => {
    expect(artifactProblems({ ...artifact, ...wrong }, false)).toHaveLength(1);
  });
});

describe("the check of a Mac's app", () => {
  const info = {
    CFBundleDocumentTypes: [
      { CFBundleTypeExtensions: ['copyscope.json', 'copyscope'] },
      { CFBundleTypeExtensions: ['arrow'] },
    ],
    ElectronAsarIntegrity: { 'Resources/app.asar': { algorithm: 'SHA256', hash: 'abc' } },
  };

  it('wants files, and the hash of the archive', () => {
    expect(infoProblems(info, 'abc')).toEqual([]);
    expect(infoProblems(info, 'abd')).toHaveLength(1);
    expect(infoProblems({}, 'abc')).toHaveLength(4);
  });
});

describe('the packages', () => {
  it('hold what they should, made offline around stand-ins for Electron', () => {
    const script = join(import.meta.dirname, '../../scripts/package.mjs');
    // Four systems, and each of Linux's packages for two processors: it only ends what hangs.
    const options = { encoding: 'utf8', timeout: 1_500_000 } as const;
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, '--check'], options);
    expect(stderr).not.toContain('Wrong:');
    expect(stdout).toContain('The packages hold what they should.');
    for (const system of ['linux-x64', 'linux-arm64', 'win32-x64', 'darwin-arm64'])
      expect(stdout).toContain(`${system}: `);
    expect(status).toBe(0);
  }, 1_600_000);
});
