/**
 * `npm run package [-- electron-builder's options]` makes the packages of this system into release/.
 * `npm run package -- --check` packs the app around a stand-in for Electron, offline, and looks at what went in.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './build.mjs';
import { packageProblems } from './lib/package-check.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { runMain } from './lib/run-main.mjs';

const args = process.argv.slice(2);
const builder = inRoot('node_modules/electron-builder/cli.js');

/** asar and fuses come with electron-builder, so they are looked up from there. */
const fromBuilder = createRequire(builder);
const importFromBuilder = (name) => import(pathToFileURL(fromBuilder.resolve(name)).href);

function runBuilder(builderArgs, options) {
  return spawnSync(process.execPath, [builder, '--publish', 'never', ...builderArgs], { cwd: root, ...options });
}

/**
 * A folder that electron-builder takes for an Electron: an executable that holds nothing but the fuse wire, which is
 * a sentinel, the wire's version, the number of fuses and a byte each ("r" is removed, "0" off, "1" on).
 */
function writeStandIn(folder) {
  mkdirSync(join(folder, 'resources'), { recursive: true });
  mkdirSync(join(folder, 'locales'));
  const fuseCount = 8;
  const wire = Buffer.from(
    ['dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX', '\x01', String.fromCharCode(fuseCount), '1'.repeat(fuseCount)].join(''),
  );
  writeFileSync(join(folder, 'electron'), wire, { mode: 0o755 });
  for (const file of ['LICENSE', 'LICENSES.chromium.html', 'locales/en-US.pak']) writeFileSync(join(folder, file), '');
}

/** What electron-builder packed below `unpackedApp`. */
async function readPackage(unpackedApp) {
  const { getRawHeader, extractFile, listPackage, statFile } = await importFromBuilder('@electron/asar');
  const archive = join(unpackedApp, 'resources/app.asar');
  const entries = listPackage(archive).map((path) => path.replaceAll('\\', '/').replace(/^\//, ''));
  const files = entries.filter((path) => !('files' in statFile(archive, path)));
  const unpacked = files.filter((path) => statFile(archive, path).unpacked === true);
  const texts = files
    .filter((path) => /\.(js|cjs|json|html|css)$/.test(path))
    .map((path) => [path, extractFile(archive, path).toString('utf8')]);
  return { files, unpacked, texts, headerBytes: getRawHeader(archive).headerSize };
}

/** How the wire spells a fuse that is on. */
const fuseOn = '1'.charCodeAt(0);

async function readFuses(executable) {
  const { FuseV1Options, getCurrentFuseWire } = await importFromBuilder('@electron/fuses');
  const wire = await getCurrentFuseWire(executable);
  const names = Object.keys(FuseV1Options).filter((name) => Number.isNaN(Number(name)));
  return Object.fromEntries(names.map((name) => [name, wire[FuseV1Options[name]] === fuseOn]));
}

const addonFolder = inRoot('native/build/Release');
const hasAddon = () => existsSync(addonFolder) && readdirSync(addonFolder).some((name) => name.endsWith('.node'));

/** Files below a folder of the clone, as the archive names them. */
function filesBelow(folder) {
  if (!existsSync(inRoot(folder))) return [];
  const entries = readdirSync(inRoot(folder), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'));
}

async function check() {
  const work = mkdtempSync(join(tmpdir(), 'copyscope-package-'));
  try {
    const [standIn, output] = [join(work, 'electron'), join(work, 'out')];
    writeStandIn(standIn);
    const options = ['--linux', 'dir', `-c.electronDist=${standIn}`, `-c.directories.output=${output}`];
    const { status, stdout, stderr } = runBuilder(options, { encoding: 'utf8' });
    if (status !== 0) return { problems: [`electron-builder failed:\n${stdout}${stderr}`], files: [], unpacked: [] };
    const [folder] = readdirSync(output).filter((name) => name.endsWith('unpacked'));
    const packed = await readPackage(join(output, folder));
    const fuses = await readFuses(join(output, folder, 'copyscope'));
    // The icons are built into the page.
    const assets = filesBelow('assets').filter((file) => !file.startsWith('assets/icons/'));
    const localPaths = [root, homedir()].filter((path) => path.length > 6);
    const problems = packageProblems({ ...packed, fuses, assets, localPaths, hasAddon: hasAddon() });
    return { problems, files: packed.files, unpacked: packed.unpacked };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function report({ problems, files, unpacked }) {
  console.log(`${files.length} files are packed, ${unpacked.length} of them beside the archive:`);
  for (const file of files) console.log(`  ${file}${unpacked.includes(file) ? ' (unpacked)' : ''}`);
  if (!hasAddon()) console.log('The native addon is not built here, so the package would have the simulator only.');
  for (const problem of problems) console.error(`Wrong: ${problem}`);
  console.log(problems.length === 0 ? 'The package holds what it should.' : `${problems.length} problems.`);
  return problems.length === 0 ? 0 : 1;
}

await runMain(async () => {
  await ensureBuilt(['renderer', 'host', 'electron']);
  return args.includes('--check') ? report(await check()) : runBuilder(args, { stdio: 'inherit' }).status;
});
