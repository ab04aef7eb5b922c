/** The real headless server and a real Chromium, for benchmarks of the window. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { chromium } from '@playwright/test';
import { runnerImport } from 'vite';
import { findChromium } from '../../scripts/lib/chromium.mjs';
import { inRoot, root } from '../../scripts/lib/paths.mjs';

/** The same as in playwright.config.ts. */
const browserArguments = [
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export const viewport = { width: 1600, height: 900 };

/** Loads a TypeScript module of the repository. */
export async function load(path) {
  const { module } = await runnerImport(inRoot(path), { root, configFile: false, logLevel: 'error' });
  return module;
}

export async function withBrowser(extra, action) {
  const executablePath = (await findChromium()) ?? undefined;
  const browser = await chromium.launch({ executablePath, args: [...browserArguments, ...extra] });
  try {
    const page = await browser.newPage({ viewport });
    page.on('pageerror', (error) => process.stderr.write(`page: ${error.message}\n`));
    return await action(page, browser);
  } finally {
    await browser.close();
  }
}

/** Resolves with the address that `serve` prints to a pipe. */
export function addressOf(child) {
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      output += text;
      const found = /^http:\/\/127\.0\.0\.1:\d+\/\?token=\S+$/m.exec(output);
      if (found !== null) resolve(found[0]);
    });
    child.once('exit', () => reject(new Error(`the server ended: ${output}`)));
  });
}

/** `action` receives the address, and the process's id. */
export async function withServer(dataFolder, action, environment = {}) {
  const child = spawn(process.execPath, [inRoot('dist/host/cli.js'), 'serve'], {
    env: { ...process.env, ...environment, COPYSCOPE_DATA: dataFolder },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const address = await addressOf(child);
    return await action(address, child.pid);
  } finally {
    // At its end its last writes are done, and the folder can be removed.
    const ended = child.exitCode === null ? once(child, 'exit') : null;
    child.kill('SIGTERM');
    await ended;
  }
}

/** Begins V8's CPU profile of the window's thread. Returns a function that ends it and writes it to a file. */
export async function profileOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 200 });
  await session.send('Profiler.start');
  return async (file) => {
    const { profile } = await session.send('Profiler.stop');
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(profile));
  };
}

export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
}
