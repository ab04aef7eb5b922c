/**
 * `npm test`: brings what the tests need, builds, runs vitest and Playwright, and ends with the tests that failed
 * and one line that adds up both: N passed, N failed, N skipped. Exits 1 on any failure.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { chromiumCommand, provideChromium } from './lib/chromium.mjs';
import { addCounts, closingLines, failure, noCounts, playwrightCounts, withExitCode } from './lib/counts.mjs';
import { findElectron, hasDisplay } from './lib/electron-binary.mjs';
import { hasAddon } from './lib/native-summary.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { provideSshd } from './lib/sshd.mjs';
import {
  cmake,
  compiler,
  findProgram,
  installCommands,
  packagePrograms,
  provide,
  wantsInstall,
  xvfb,
} from './lib/system.mjs';
import { vitestCountsFile } from './lib/vitest-reporter.mjs';

const say = (text) => console.log(text);
/** Who tests wants what the tests need, in CI too, where nothing says otherwise. */
const isWanted = process.env.COPYSCOPE_INSTALL === undefined || wantsInstall();
const playwrightReport = inRoot('test-results/playwright.json');

/** Runs a tool of node_modules, in front of it `wrapper`, and gives its exit code. */
function runTool(script, args, env = {}, wrapper = []) {
  const [command, ...rest] = [...wrapper, process.execPath, inRoot('node_modules', script), ...args];
  const child = spawn(command, rest, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** What a runner left in `file`, or nothing where it ended before it could. */
const readCounts = (file, read) => (existsSync(file) ? read(JSON.parse(readFileSync(file, 'utf8'))) : noCounts());

async function runVitest() {
  rmSync(vitestCountsFile, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/lib/vitest-reporter.mjs'];
  const code = await runTool('vitest/vitest.mjs', ['run', ...reporters]);
  return withExitCode(
    readCounts(vitestCountsFile, (counts) => counts),
    code,
    'vitest',
  );
}

async function runPlaywright(chromium) {
  rmSync(playwrightReport, { force: true });
  const env = { COPYSCOPE_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport };
  const code = await runTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], env, displayWrapper());
  return withExitCode(readCounts(playwrightReport, playwrightCounts), code, 'Playwright');
}

/** Only Electron's specs need a display: Xvfb gives them one where there is none. */
function displayWrapper() {
  if (findElectron() === null || hasDisplay()) return [];
  const missing = provide([xvfb], say, isWanted);
  for (const command of missing.length > 0 ? installCommands(missing) : [])
    say(`Electron's tests need Xvfb: ${command}`);
  return findProgram('xvfb-run') === null ? [] : ['xvfb-run', '--auto-servernum'];
}

/** In CI `npm ci` has installed no compiler, and so has built no addon. */
function provideAddon() {
  if (hasAddon() || provide([cmake, compiler], say, isWanted).length > 0) return;
  spawnSync(process.execPath, [inRoot('scripts/build-native.mjs')], { cwd: root, stdio: 'inherit' });
}

async function runEverything() {
  provideAddon();
  const chromium = await provideChromium(say, isWanted);
  provideSshd(say);
  provide([packagePrograms], say, isWanted);
  await ensureBuilt(['renderer', 'host', 'electron']);
  const counts = [await runVitest()];
  if (chromium !== null) return [...counts, await runPlaywright(chromium)];
  const reason = `they need Chromium, and there is none. To get it: ${chromiumCommand}`;
  return [...counts, failure('the end-to-end tests', reason)];
}

const counts = addCounts(await runEverything().catch((error) => [failure('npm test', error.message)]));
say(`\n${closingLines(counts).join('\n')}`);
process.exitCode = counts.failed.length > 0 || counts.passed === 0 ? 1 : 0;
