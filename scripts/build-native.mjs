/**
 * Builds native/build/Release/copyscope.node, with the CUDA engine where a toolkit is found.
 *
 *   node scripts/build-native.mjs [--without-cuda] [--quiet]
 *
 * Exit codes: 0 built (with or without CUDA), 1 the build failed, 3 no C++ compiler, 4 no CMake.
 * Leaves native/build/build-info.json: what was built, or why nothing was.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cmake, compiler as compilerNeed, installCommands, packageManager } from './lib/system.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buildFolder = join(root, 'native', 'build');
const infoFile = join(buildFolder, 'build-info.json');
const cudaVersionFile = join(buildFolder, 'cuda-version.txt');
const addonFile = join(buildFolder, 'Release', 'copyscope.node');
const quiet = process.argv.includes('--quiet');
const exitCodes = { built: 0, failed: 1, noCompiler: 3, noCmake: 4 };

/** Returns the first line of a tool's version output; null if it can't be run. */
function version(tool, option = '--version') {
  const result = spawnSync(tool, [option], { encoding: 'utf8' });
  return result.error === undefined && result.status === 0 ? (result.stdout.split('\n')[0] ?? '').trim() : null;
}

function findCompiler() {
  if (process.platform === 'win32') return 'MSVC, as CMake finds it';
  const candidates = [process.env.CXX, 'c++', 'g++', 'clang++'].filter((name) => name !== undefined && name !== '');
  return candidates.map((name) => version(name)).find((found) => found !== null) ?? null;
}

function findNvcc() {
  const homes = [process.env.CUDA_HOME, process.env.CUDA_PATH, '/usr/local/cuda', '/opt/cuda'];
  const candidates = homes.filter((home) => home !== undefined && home !== '').map((home) => join(home, 'bin', 'nvcc'));
  return [...candidates, 'nvcc'].find((path) => version(path) !== null) ?? null;
}

function readInfo() {
  try {
    return JSON.parse(readFileSync(infoFile, 'utf8'));
  } catch {
    return null;
  }
}

function writeInfo(info) {
  mkdirSync(buildFolder, { recursive: true });
  writeFileSync(infoFile, `${JSON.stringify(info, null, 2)}\n`);
}

/** Runs cmake-js; true where it succeeded. */
function cmakeJs(...args) {
  const cli = join(dirname(createRequire(import.meta.url).resolve('cmake-js/package.json')), 'bin', 'cmake-js');
  const command = [cli, ...args, '-d', join(root, 'native'), '--config', 'Release'];
  const result = spawnSync(process.execPath, command, {
    cwd: root,
    stdio: quiet ? 'pipe' : 'inherit',
    encoding: 'utf8',
  });
  if (quiet && result.status !== 0) process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}`);
  return result.status === 0;
}

function build(withCuda) {
  rmSync(cudaVersionFile, { force: true });
  const configured = cmakeJs('configure', `--CDCOPYSCOPE_CUDA=${withCuda ? 'ON' : 'OFF'}`);
  return configured && cmakeJs('build', '--parallel', '4') && existsSync(addonFile);
}

/** Whether CMake was configured for another place: the folder was moved or copied since. */
function configuredElsewhere() {
  const cache = join(buildFolder, 'CMakeCache.txt');
  if (!existsSync(cache)) return false;
  const home = /^CMAKE_HOME_DIRECTORY:INTERNAL=(.*)$/m.exec(readFileSync(cache, 'utf8'))?.[1];
  return home !== undefined && resolve(home) !== join(root, 'native');
}

/** Forgets what CMake found earlier, as a missing toolkit that has been installed since. */
function forgetConfiguration() {
  rmSync(join(buildFolder, 'CMakeCache.txt'), { force: true });
  rmSync(join(buildFolder, 'CMakeFiles'), { recursive: true, force: true });
}

function finish(exitCode, info, message) {
  writeInfo(info);
  console.error(message);
  process.exit(exitCode);
}

/** Says what is missing and how to get it. Without a compiler nothing can be tried. */
function stopWithout(needs) {
  const reason = `there is no ${needs.map(({ name }) => name.replace(/^a /, '')).join(' and no ')}`;
  const commands = installCommands(needs);
  // Without a known package manager there is no command, only advice.
  const remedy = packageManager() === null ? null : commands.join(' && ');
  const info = { built: false, withCuda: false, cudaVersion: null, compiler: null, reason, remedy };
  const advice = ['Install it and build again:', ...commands, 'npm run build:native'].join('\n  ');
  const exitCode = needs.includes(compilerNeed) ? exitCodes.noCompiler : exitCodes.noCmake;
  finish(exitCode, info, `The native engines were not built: ${reason}. The simulator works without them.\n${advice}`);
}

const missing = [cmake, compilerNeed].filter((need) => !need.met());
if (missing.length > 0) stopWithout(missing);
const compiler = findCompiler();

const asked = !process.argv.includes('--without-cuda');
const nvcc = asked ? findNvcc() : null;
if (readInfo()?.withCuda !== (nvcc !== null) || configuredElsewhere()) forgetConfiguration();

let reason = null;
let built = build(asked);
if (!built && nvcc !== null) {
  reason = `the build with the CUDA toolkit at ${nvcc} failed`;
  console.error(`COPYSCOPE: ${reason}. Building again WITHOUT CUDA.`);
  forgetConfiguration();
  built = build(false);
}
const cudaVersion = existsSync(cudaVersionFile) ? readFileSync(cudaVersionFile, 'utf8').trim() : null;
if (!built) {
  const info = { built: false, withCuda: false, cudaVersion: null, compiler, reason: 'the build failed', remedy: null };
  finish(exitCodes.failed, info, 'The native engines were not built: the compiler reported errors (see above).');
}
if (cudaVersion === null) reason ??= asked ? 'no CUDA toolkit was found' : 'CUDA was left out as asked';
writeInfo({ built, withCuda: cudaVersion !== null, cudaVersion, compiler, reason, remedy: null });
if (cudaVersion === null) {
  console.error(`\n*** COPYSCOPE: built WITHOUT the CUDA engine: ${reason}. ***`);
  console.error('*** To have it, install the CUDA toolkit (or set CUDA_HOME) and run: npm run build:native ***\n');
} else if (!quiet) {
  console.error(`COPYSCOPE: built with CUDA ${cudaVersion}: ${addonFile}`);
}
