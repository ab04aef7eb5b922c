/**
 * `npm test`: brings what the tests need, builds, runs vitest and Playwright, and ends with one line that adds up
 * both: N passed, N failed, N skipped. Exits 1 on any failure.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { ensureBuilt } from './build.mjs';
import { chromiumCommand, provideChromium } from './lib/chromium.mjs';
import { findElectron, hasDisplay } from './lib/electron-binary.mjs';
import { inRoot, root } from './lib/paths.mjs';
import { installCommands, provide, xvfb } from './lib/system.mjs';
import { vitestCounts } from './lib/vitest-counts.mjs';

const say = (text) => console.log(text);
const playwrightReport = inRoot('test-results/playwright.json');
const total = { passed: 0, failed: 0, skipped: [] };

function add({ passed, failed, skipped }) {
  total.passed += passed;
  total.failed += failed;
  total.skipped.push(...skipped);
}

/** Runs a tool of node_modules and gives its exit code. */
function runTool(script, args, env = {}) {
  const child = spawn(process.execPath, [inRoot('node_modules', script), ...args], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return new Promise((resolve) => child.once('close', (code) => resolve(code ?? 1)));
}

/** The counts a runner left; one failure where it ended badly without counting any. */
function counted(exitCode, file, read) {
  const counts = existsSync(file)
    ? read(JSON.parse(readFileSync(file, 'utf8')))
    : { passed: 0, failed: 0, skipped: [] };
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

async function runVitest() {
  rmSync(vitestCounts, { force: true });
  const reporters = ['--reporter=default', '--reporter=./scripts/lib/vitest-counts.mjs'];
  const code = await runTool('vitest/vitest.mjs', ['run', ...reporters]);
  return counted(code, vitestCounts, (counts) => counts);
}

/** Playwright nests suites in suites; a spec holds a test for each project. */
function* playwrightTests(suite, path = []) {
  for (const spec of suite.specs ?? []) {
    for (const test of spec.tests) yield { test, title: [...path, spec.title].join(' > ') };
  }
  for (const inner of suite.suites ?? []) yield* playwrightTests(inner, [...path, inner.title]);
}

function playwrightCounts(report) {
  const counts = { passed: 0, failed: report.errors.length, skipped: [] };
  for (const { test, title } of playwrightTests(report)) {
    // A test that passes only when tried again is a failure too: nothing here may depend on luck.
    if (test.status === 'expected') counts.passed += 1;
    else if (test.status === 'skipped') counts.skipped.push({ test: title, reason: skipReason(test) });
    else counts.failed += 1;
  }
  return counts;
}

const skipReason = (test) => test.annotations.find(({ type }) => type === 'skip' || type === 'fixme')?.description;

async function runPlaywright(chromium) {
  rmSync(playwrightReport, { force: true });
  const env = { COPYSCOPE_CHROMIUM: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: playwrightReport };
  const code = await runTool('@playwright/test/cli.js', ['test', '--reporter=list,json'], env);
  return counted(code, playwrightReport, playwrightCounts);
}

async function main() {
  const chromium = await provideChromium(say);
  // Only Electron's specs need a display; the browser's run without a window.
  const missing = findElectron() === null || hasDisplay() ? [] : provide([xvfb], say);
  for (const command of missing.length > 0 ? installCommands(missing) : [])
    say(`Electron's tests need Xvfb: ${command}`);
  await ensureBuilt(['renderer', 'host', 'electron']);
  add(await runVitest());
  if (chromium === null) {
    say(`The end-to-end tests need Chromium, and there is none. To get it: ${chromiumCommand}`);
    add({ passed: 0, failed: 1, skipped: [] });
  } else {
    add(await runPlaywright(chromium));
  }
}

function summarize() {
  if (total.skipped.length > 0) say('\nSkipped:');
  for (const { test, reason } of total.skipped) say(`  ${test}: ${reason ?? 'no reason given'}`);
  say(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}

try {
  await main();
} catch (error) {
  say(error.stack ?? String(error));
  add({ passed: 0, failed: 1, skipped: [] });
}
summarize();
