/** What electron-builder made: the archive and its fuses, and what its packages hold when they are unpacked. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { importFromBuilder } from './builder.mjs';
import { runtimeWords } from './package-tools.mjs';

const sha256 = (content) => createHash('sha256').update(content).digest('hex');

/** What is in a packed app's archive, and beside it; `resources` is the folder that holds both. */
export async function readArchive(resources) {
  const { getRawHeader, extractFile, listPackage, statFile } = await importFromBuilder('@electron/asar');
  const archive = join(resources, 'app.asar');
  const entries = listPackage(archive).map((path) => path.replaceAll('\\', '/').replace(/^\//, ''));
  const files = entries.filter((path) => !('files' in statFile(archive, path)));
  const unpacked = files.filter((path) => statFile(archive, path).unpacked === true);
  const texts = files
    .filter((path) => /\.(js|cjs|json|html|css|md)$/.test(path))
    .map((path) => [path, extractFile(archive, path).toString('utf8')]);
  return { files, unpacked, texts, hash: sha256(getRawHeader(archive).headerString) };
}

/** How the wire spells a fuse that is on. */
const fuseOn = '1'.charCodeAt(0);

/** Each fuse's name, and whether it is on. */
export async function readFuses(executable) {
  const { FuseV1Options, getCurrentFuseWire } = await importFromBuilder('@electron/fuses');
  const wire = await getCurrentFuseWire(executable);
  const names = Object.keys(FuseV1Options).filter((name) => Number.isNaN(Number(name)));
  return Object.fromEntries(names.map((name) => [name, wire[FuseV1Options[name]] === fuseOn]));
}

/** What the system knows of a Mac's app: its Info.plist. */
export async function readInfo(contents) {
  const plist = await importFromBuilder('plist');
  return (plist.default ?? plist).parse(readFileSync(join(contents, 'Info.plist'), 'utf8'));
}

/** The hash of the archive that an .exe holds, or null. */
export async function hashInProgram(executable) {
  const { NtExecutable, NtExecutableResource } = await importFromBuilder('resedit');
  const program = NtExecutable.from(readFileSync(executable), { ignoreCert: true });
  const entry = NtExecutableResource.from(program).entries.find(({ type }) => type === 'INTEGRITY');
  return entry === undefined ? null : (JSON.parse(Buffer.from(entry.bin).toString('utf8'))[0]?.value ?? null);
}

/** Files below a folder with a digest of each; "/" stands between folders. */
export function digests(folder) {
  const found = {};
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = relative(folder, path).replaceAll('\\', '/');
    if (entry.isFile()) found[name] = sha256(readFileSync(path));
    else if (entry.isSymbolicLink()) found[name] = `-> ${readlinkSync(path)}`;
  }
  return found;
}

const run = (program, ...args) => execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

const unpackers = {
  AppImage(file, into) {
    run('unsquashfs', '-q', '-n', '-o', String(runtimeWords.length), '-d', into, file);
    return { app: into, desktop: readText(into, 'copyscope.desktop') };
  },
  deb(file, into) {
    run('dpkg-deb', '-R', file, into);
    return {
      app: join(into, 'opt/Copyscope'),
      desktop: readText(into, 'usr/share/applications/copyscope.desktop'),
      mime: readText(into, 'usr/share/mime/packages/copyscope.xml'),
      control: readText(into, 'DEBIAN/control'),
    };
  },
  'tar.gz'(file, into) {
    mkdirSync(into);
    run('tar', '-xzf', file, '-C', into);
    return { app: join(into, readdirSync(into)[0]) };
  },
};

const readText = (folder, file) => readFileSync(join(folder, file), 'utf8');

/** Unpacks one package into a folder that isn't there yet. */
export function readArtifact(target, file, into) {
  const { app, ...texts } = unpackers[target](file, into);
  return { ...texts, files: digests(app) };
}
