/** The app as electron-builder packs it for Linux: the list of its files, its fuses and its licences. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { ensureBuilt } from '../../../scripts/build.mjs';
import { importFromBuilder, runBuilder } from '../../../scripts/lib/builder.mjs';
import { inRoot, root } from '../../../scripts/lib/paths.mjs';
import { prebuild, prebuiltFiles } from '../../../scripts/lib/prebuilds.mjs';
import { newFolder } from '../../support/newFolder.ts';
import { misplaced, textProblems } from './support/packedFiles.ts';

const work = newFolder();

const program = join(work, 'out/linux-unpacked/copyscope');
let files: readonly string[];
let unpacked: readonly string[];
let texts: ReadonlyMap<string, string>;

beforeAll(async () => {
  await ensureBuilt(['renderer', 'host', 'electron']);
  prebuild();
  // Electron isn't downloaded: its program is the fuse wire alone, with every fuse on.
  const electron = join(work, 'electron');
  mkdirSync(join(electron, 'locales'), { recursive: true });
  for (const file of ['LICENSE', 'LICENSES.chromium.html', 'locales/en-US.pak'])
    writeFileSync(join(electron, file), '');
  const wire = `dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX\x01\x08${'1'.repeat(8)}`;
  writeFileSync(join(electron, 'electron'), wire, { mode: 0o755 });
  const folders = [`-c.electronDist=${electron}`, `-c.directories.output=${join(work, 'out')}`];
  const { status, stdout, stderr } = runBuilder(['--linux', 'dir', '--x64', ...folders], { encoding: 'utf8' });
  expect({ status, said: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, said: '' });
  const { extractFile, listPackage, statFile } = await importFromBuilder('@electron/asar');
  const archive = join(work, 'out/linux-unpacked/resources/app.asar');
  const entries = (listPackage(archive) as string[]).map((path) => path.replaceAll('\\', '/').replace(/^\//, ''));
  files = entries.filter((path) => !('files' in statFile(archive, path)));
  unpacked = files.filter((path) => statFile(archive, path).unpacked === true);
  const isText = (path: string): boolean => /\.(js|cjs|json|html|css|md)$/.test(path);
  texts = new Map(files.filter(isText).map((path) => [path, extractFile(archive, path).toString('utf8')]));
}, 600_000);

describe('the packed app', () => {
  it('has what it needs and no file that does not belong in a package', () => {
    const allowed =
      /^(package\.json|LICENSE|dist\/(electron|host|renderer)\/|assets\/(?!icons\/)[a-z]+\/|native\/prebuilds\/linux-x64\/)/;
    expect(misplaced(files, allowed)).toEqual([]);
    const assets = readdirSync(inRoot('assets'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
      .filter((file) => !file.startsWith('assets/icons/'));
    const needed = [
      ...['package.json', 'dist/electron/main.js', 'dist/electron/preload.cjs', 'dist/host/engine-process.js'],
      ...['dist/host/cli.js', 'dist/renderer/index.html', 'dist/host/sqlite/node-sqlite3-wasm.cjs'],
      ...['dist/host/sqlite/node-sqlite3-wasm.wasm', ...assets],
    ];
    expect(needed.filter((file) => !files.includes(file))).toEqual([]);
  });

  it('has the addon of its system next to the archive and no other', () => {
    const addons = files.filter((file) => /\.(node|so)$/.test(file));
    expect(addons.toSorted()).toEqual([...prebuiltFiles('linux-x64')].toSorted());
    expect(addons.filter((file) => !unpacked.includes(file))).toEqual([]);
  });

  it('holds no secret and no folder of the machine that built it', () => {
    const local = [root, homedir()].filter((path) => path.length > 6);
    expect(textProblems([...texts], local)).toEqual([]);
  });

  it('has the licences of all that is bundled, also on one page', () => {
    const licences = [
      ...['LICENSE', 'dist/electron/licenses.md', 'dist/host/licenses.md', 'dist/renderer/licenses.md'],
      ...['dist/renderer/third-party.md', 'dist/host/sqlite/LICENSE'],
    ];
    expect(licences.filter((file) => !files.includes(file))).toEqual([]);
    for (const file of licences.filter((one) => one.endsWith('.md'))) expect(texts.get(file), file).not.toBe('');
  });

  it('lets nobody run code in it: every fuse is set', async () => {
    const { FuseV1Options, getCurrentFuseWire } = await importFromBuilder('@electron/fuses');
    const wire = await getCurrentFuseWire(program);
    const isOn = (name: string): boolean => wire[FuseV1Options[name]] === '1'.charCodeAt(0);
    const on = ['EnableCookieEncryption', 'EnableEmbeddedAsarIntegrityValidation', 'OnlyLoadAppFromAsar'];
    const off = ['RunAsNode', 'EnableNodeOptionsEnvironmentVariable', 'EnableNodeCliInspectArguments'];
    expect(on.filter((name) => !isOn(name))).toEqual([]);
    expect([...off, 'GrantFileProtocolExtraPrivileges'].filter(isOn)).toEqual([]);
  });
});
