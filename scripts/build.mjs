/**
 * Builds what runs: renderer, host and electron, each into dist/. A part whose sources did not change since its last
 * build is left as it is. Says nothing on stdout, so that a command started through it owns that.
 *
 *   node scripts/build.mjs [renderer|host|electron …] [--force]
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { writeLicences } from './lib/licences.mjs';
import { inRoot, root, runMain } from './lib/paths.mjs';

/** Sources of each part, the file that shows it was built, and the modes in which its config is built in turn. */
const parts = {
  renderer: {
    config: 'vite.renderer.config.ts',
    sources: ['core', 'renderer', 'scripts/lib/report-page.mjs'],
    output: 'dist/renderer/report.html',
    modes: ['production', 'report'],
  },
  host: { config: 'vite.host.config.ts', sources: ['core', 'native', 'host'], output: 'dist/host/cli.js' },
  electron: {
    config: 'vite.electron.config.ts',
    sources: ['core', 'native', 'host', 'electron'],
    output: 'dist/electron/main.js',
    modes: ['main', 'preload'],
  },
};

const stampFolder = inRoot('dist/.stamps');
/** Compiled things and C++ below native/ are no input of a bundle. */
const ignored = /^native\/(build|build-[^/]*|prebuilds|record|src)$|(^|\/)(node_modules|\.[^/]*)$/;

function* filesBelow(path) {
  const entry = statSync(path);
  if (entry.isFile()) yield { path, entry };
  else
    for (const name of readdirSync(path).sort()) {
      const below = join(path, name);
      if (!ignored.test(relative(root, below).replaceAll('\\', '/'))) yield* filesBelow(below);
    }
}

/** Changes when a source is added, removed or written. */
function digest({ config, sources }) {
  const hash = createHash('sha256').update(process.version);
  for (const source of [...sources, config, 'package.json', 'package-lock.json']) {
    for (const { path, entry } of filesBelow(inRoot(source))) {
      hash.update(`${relative(root, path)} ${entry.size} ${entry.mtimeMs}\n`);
    }
  }
  return hash.digest('hex');
}

function isUpToDate(name) {
  const stamp = join(stampFolder, name);
  if (!existsSync(inRoot(parts[name].output)) || !existsSync(stamp)) return false;
  return readFileSync(stamp, 'utf8') === digest(parts[name]);
}

/** Two builds at once would empty each other's output; the second waits, and then finds everything done. */
async function withLock(action) {
  mkdirSync(stampFolder, { recursive: true });
  const lock = join(stampFolder, 'lock');
  while (!tryLock(lock)) await sleep(200);
  try {
    return await action();
  } finally {
    rmSync(lock, { force: true });
  }
}

function tryLock(lock) {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
    if (!isAlive(lock)) rmSync(lock, { force: true });
    return false;
  }
}

function isAlive(lock) {
  try {
    const owner = Number(readFileSync(lock, 'utf8'));
    // Just created and not written yet: its owner lives.
    if (owner === 0) return Date.now() - statSync(lock).mtimeMs < 60_000;
    process.kill(owner, 0);
    return true;
  } catch (error) {
    // A lock that has disappeared doesn't belong to a dead owner: removing it would remove the next owner's lock.
    return error.code !== 'ESRCH';
  }
}

async function buildPart(name) {
  const { build } = await import('vite');
  const started = performance.now();
  const before = digest(parts[name]);
  rmSync(join(stampFolder, name), { force: true });
  const { config, modes = ['production'] } = parts[name];
  try {
    for (const mode of modes) await build({ mode, configFile: inRoot(config), logLevel: 'warn' });
  } catch (error) {
    throw new Error(`${name} could not be built. ${error.message}`, { cause: error });
  }
  writeFileSync(join(stampFolder, name), before);
  console.error(`Built ${name} in ${((performance.now() - started) / 1000).toFixed(1)} s.`);
}

/** Builds those of `names` that are out of date. Throws an error with vite's words where one fails. */
export async function ensureBuilt(names, { force = false } = {}) {
  const isStale = (name) => force || !isUpToDate(name);
  if (!names.some(isStale)) return;
  const folder = process.cwd();
  const mode = process.env.NODE_ENV;
  await withLock(async () => {
    // The configs' own relative paths start at the clone.
    process.chdir(root);
    // A test runner's NODE_ENV would bundle React's development build, which holds the paths of its sources.
    process.env.NODE_ENV = 'production';
    for (const name of names.filter(isStale)) await buildPart(name);
    writeLicences();
  }).finally(() => {
    process.chdir(folder);
    if (mode === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = mode;
  });
}

async function main() {
  const args = process.argv.slice(2);
  const named = args.filter((arg) => !arg.startsWith('-'));
  const unknown = named.filter((name) => !(name in parts));
  if (unknown.length > 0)
    throw new Error(`There is no part ${unknown.join(', ')}. Parts: ${Object.keys(parts).join(', ')}.`);
  await ensureBuilt(named.length > 0 ? named : Object.keys(parts), { force: args.includes('--force') });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(main);
