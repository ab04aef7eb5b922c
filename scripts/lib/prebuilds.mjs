/**
 * The compiled files as packages carry them, by system and processor: native/prebuilds/linux-x64 and the like. They are those
 * that were built here (`npm run build:native`), and what `npm run package:native -- --arm64` cross-builds.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inRoot } from './paths.mjs';
import { findProgram } from './system.mjs';

const own = `${process.platform}-${process.arch}`;
const folderOf = (name) => `native/prebuilds/${name}`;

const compiled = ['copyscope.node', 'libcopyscope_record.so'];

/** The compiled files for a system, as packages name them. */
export function prebuiltFiles(name = own) {
  const folder = inRoot(folderOf(name));
  return existsSync(folder) ? readdirSync(folder).map((file) => `${folderOf(name)}/${file}`) : [];
}

/** Takes over the `files` that were built into `built`, without the names that only a debugger reads. */
export function prebuild({
  built = 'native/build/Release',
  name = own,
  strip = 'strip',
  files = compiled,
  target = inRoot(folderOf(name)),
} = {}) {
  // They may have been brought here from another machine.
  if (!existsSync(inRoot(built))) return;
  mkdirSync(target, { recursive: true });
  for (const file of readdirSync(inRoot(built)).filter((one) => files.includes(one))) {
    const [from, to] = [inRoot(built, file), join(target, file)];
    if (!isNewer(from, to)) continue;
    // Whole or not at all: another package may be made of it at the same time.
    const half = `${from}.${process.pid}`;
    copyFileSync(from, half);
    if (findProgram(strip) !== null) spawnSync(strip, ['--strip-unneeded', half]);
    renameSync(half, to);
  }
}

const isNewer = (one, other) => !existsSync(other) || statSync(one).mtimeMs > statSync(other).mtimeMs;
