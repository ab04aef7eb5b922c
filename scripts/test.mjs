/**
 * Runs the tests of one tier, and ends with the tests that failed and one line over all runners: N passed, N failed,
 * N skipped. Exits with 1 if a test failed.
 *
 *   node scripts/test.mjs [quick | all | deep | ci] [--minutes N]
 *
 * quick (npm test): types, lint and budgets; unit and component tests; the journeys; the executor's C++ tests.
 * all (npm run test:all): quick, then every other test that needs no sanitizer.
 * deep (npm run test:deep): the sanitizers, kills, the fuzzer, and properties and soak at full effort. With --minutes it
 * takes about that long: the sanitizers, and the fuzzer for what is left.
 * ci (.ci/run): all, then five minutes of deep if its sources changed since it last passed in full.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './build.mjs';
import { chromiumCommand, provideChromium } from './lib/chromium.mjs';
import {
  addCounts,
  closingLines,
  ctestCounts,
  failure,
  noCounts,
  playwrightCounts,
  withExitCode,
} from './lib/counts.mjs';
import { findElectron, hasDisplay } from './lib/electron-binary.mjs';
import { hasAddon } from './lib/native-summary.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { provideSshd } from './lib/sshd.mjs';
import { cmake, compiler, findProgram, installCommands, provide, wantsInstall, xvfb } from './lib/system.mjs';
import { vitestCountsFile } from './lib/vitest-reporter.mjs';

/** Whether `npm run test:deep` has passed in full with the sources as they are: their hash is in test/deep-passed.json. */
const file = inRoot('test/deep-passed.json');
/** Sources that the sanitizers compile, and code that reads files from outside. */
const sources = ['native', 'core/import', 'core/shape', 'core/trace', 'host/library/imports', 'host/library/bundle'];
const isBuilt = /^(build|build-.*|prebuilds|node_modules)$/;

function* filesBelow(path) {
  const entries = readdirSync(inRoot(path), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.isFile()) yield join(path, entry.name);
    else if (!isBuilt.test(entry.name)) yield* filesBelow(join(path, entry.name));
  }
}

function hashOfSources() {
  const hash = createHash('sha256');
  for (const source of sources)
    for (const path of filesBelow(source)) hash.update(`${path}\n`).update(readFileSync(inRoot(path)));
  return hash.digest('hex');
}

const deepHasPassed = () => existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).sources === hashOfSources();

const keepDeepPassed = () => writeFileSync(file, `${JSON.stringify({ sources: hashOfSources() }, null, 2)}\n`);

const say = (text) => console.log(text);
/** In CI too, what the tests need is installed unless COPYSCOPE_INSTALL says otherwise. */
const isWanted = process.env.COPYSCOPE_INSTALL === undefined || wantsInstall();
const playwrightReport = inRoot('test-results/playwright.json');
const seed = process.env.COPYSCOPE_TEST_SEED ?? String(Date.now() % 2 ** 31);
/** Half of the component tests, which would take `npm test` longer than six minutes. */
const moreComponents = 'test/component/more/';
const tool = (path) => inRoot('node_modules', path);

/**
 * Resolves to the exit code of a program that writes to this terminal: at once, or with `isBeside` when it has ended, so
 * that the output of programs that run at the same time stays apart.
 */
function run(command, args, { env = {}, cwd = root, isBeside = false } = {}) {
  const stdio = isBeside ? ['ignore', 'pipe', 'pipe'] : 'inherit';
  const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => output.push(bytes));
  return new Promise((resolve) => {
    child.once('error', (error) => {
      say(error.message);
      resolve(1);
    });
    child.once('close', (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code ?? 1);
    });
  });
}

const runNode = (script, args, options) => run(process.execPath, [script, ...args], options);

/** Counts a program as one test: it passes if it exits with 0. */
const asTest = (name, code) => (code === 0 ? { ...noCounts(), passed: 1 } : failure(name, `exit code ${code}`));

/** Returns the counts in a runner's file, or none if the runner ended before it wrote them. */
const readCounts = (file, read) => (existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : noCounts());

async function vitest(args, env = {}) {
  rmSync(vitestCountsFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/lib/vitest-reporter.mjs'];
  const code = await runNode(tool('vitest/vitest.mjs'), ['run', ...reporters, ...args], { env });
  return withExitCode(
    readCounts(vitestCountsFile, (counts) => counts),
    code,
    'vitest',
  );
}

/** Runs a project of playwright.config.ts; `wrapper` is a command that starts another one. */
async function playwright(project, { wrapper = [], isBeside = false } = {}) {
  const chromium = await provideChromium(say, isWanted);
  if (chromium === null) return failure(`the ${project} tests`, `there is no Chromium. To get it: ${chromiumCommand}`);
  rmSync(playwrightReport, { force: true });
  const env = { COPYSCOPE_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport };
  const args = ['test', `--project=${project}`, '--reporter=list,json'];
  const [command, ...rest] = [...wrapper, process.execPath, tool('@playwright/test/cli.js'), ...args];
  const code = await run(command, rest, { env, isBeside });
  return withExitCode(readCounts(playwrightReport, playwrightCounts), code, 'Playwright');
}

/** Starts Xvfb if Electron is here and there is no display. */
function displayWrapper() {
  if (findElectron() === null || hasDisplay()) return [];
  const missing = provide([xvfb], say, isWanted);
  for (const command of missing.length > 0 ? installCommands(missing) : [])
    say(`Electron's tests need Xvfb: ${command}`);
  return findProgram('xvfb-run') === null ? [] : ['xvfb-run', '--auto-servernum'];
}

const noCompiler = () => provide([cmake, compiler], say, isWanted).length > 0;
const skipped = (test, reason) => ({ ...noCounts(), skipped: [{ test, reason }] });

/** Runs CTest and returns its counts; `build` is true once everything that it runs is built. */
async function ctest(name, built, args, options) {
  if (!built) return failure(`the C++ tests (${name})`, 'they could not be built');
  const log = inRoot(`test-results/ctest-${name}.log`);
  rmSync(log, { force: true });
  const code = await run('ctest', [...args, '--output-on-failure', '--output-log', log], options);
  return withExitCode(existsSync(log) ? ctestCounts(readFileSync(log, 'utf8')) : noCounts(), code, `ctest (${name})`);
}

/** Builds the addon if it is missing, or if only its compiled file was brought here. */
async function provideAddon() {
  if (noCompiler() || (hasAddon() && existsSync(inRoot('native/build/cmake_install.cmake')))) return;
  await runNode(inRoot('scripts/build-native.mjs'), []);
}

/** The engine's objects are those of the addon: only the tests themselves are compiled. */
async function executorTests() {
  if (process.platform !== 'linux') return skipped('the C++ tests', `not run on ${process.platform}`);
  if (noCompiler()) return skipped('the C++ tests', 'there is no C++ compiler or no CMake');
  const folder = 'native/build';
  const args = ['--build', folder, '--target', 'copyscope_executor_tests', '--parallel', '2'];
  const beside = { isBeside: true };
  return ctest('executor', (await run('cmake', args, beside)) === 0, ['--test-dir', folder], beside);
}

async function sanitizer(preset) {
  if (process.platform !== 'linux' || noCompiler()) return skipped(`the ${preset} sanitizer`, 'it needs Linux and g++');
  const cwd = inRoot('native');
  const built =
    (await run('cmake', ['--preset', preset], { cwd })) === 0 &&
    (await run('cmake', ['--build', '--preset', preset], { cwd })) === 0;
  return ctest(preset, built, ['--preset', preset], { cwd });
}

async function check() {
  const code = await run('npm', ['run', '--silent', 'check'], { shell: process.platform === 'win32', isBeside: true });
  return code === 0 ? noCounts() : failure('npm run check', `exit code ${code}`);
}

/** Component tests and journeys wait for a page half of their time, in which compilers and unit tests work. */
async function quick() {
  await provideAddon();
  await provideChromium(say, isWanted);
  await ensureBuilt(['renderer', 'host']);
  const one = async () => [await check(), await executorTests(), await playwright('journeys', { isBeside: true })];
  const [beside, fast] = await Promise.all([one(), vitest(['--project=!system', `--exclude=${moreComponents}**`])]);
  return [...beside, fast];
}

async function rest() {
  await provideAddon();
  provideSshd(say);
  await ensureBuilt(['renderer', 'host', 'electron']);
  // With three workers on two cores, one often waits for a program that it started.
  const folders = ['system', 'native', 'electron', 'fuzz'].map((folder) => `test/${folder}/`);
  return [
    await vitest([...folders, moreComponents, '--maxWorkers=3']),
    await playwright('e2e', { wrapper: displayWrapper() }),
  ];
}

async function deep(minutes) {
  const end = Date.now() + (minutes ?? 30) * 60_000;
  await provideAddon();
  await ensureBuilt(['renderer', 'host']);
  const counts = [await sanitizer('address'), await sanitizer('thread')];
  if (minutes === undefined) counts.push(await vitest(['test/system/host/killed']));
  const left = Math.max(1.5, (end - Date.now()) / 60_000);
  const fuzz = 'test/fuzz/run.mjs';
  counts.push(asTest(fuzz, await runNode(inRoot(fuzz), ['--minutes', String(left), '--seed', seed])));
  if (minutes !== undefined) return counts;
  counts.push(await vitest(['test/unit', 'test/native/soak.test.ts'], { COPYSCOPE_TEST_EFFORT: '1' }));
  if (addCounts(counts).failed.length === 0) keepDeepPassed();
  return counts;
}

async function ci() {
  const counts = [...(await quick()), ...(await rest())];
  if (!deepHasPassed()) return [...counts, ...(await deep(5))];
  say('The sources of npm run test:deep are those that it passed with: it is left out.');
  return counts;
}

const tiers = { quick, all: async () => [...(await quick()), ...(await rest())], deep, ci };

const { values, positionals } = parseArgs({ options: { minutes: { type: 'string' } }, allowPositionals: true });
const [tier = 'quick'] = positionals;
const minutes = values.minutes === undefined ? undefined : Number(values.minutes);
if (!Object.hasOwn(tiers, tier) || Number.isNaN(minutes)) {
  say(
    `There is no tier ${positionals.join(' ')} (--minutes ${values.minutes}). Tiers: ${Object.keys(tiers).join(', ')}.`,
  );
  process.exit(2);
}
const counts = addCounts(await tiers[tier](minutes).catch((error) => [failure(`the ${tier} tests`, error.message)]));
say(`\n${closingLines(counts).join('\n')}`);
process.exitCode = counts.failed.length > 0 || counts.passed === 0 ? 1 : 0;
