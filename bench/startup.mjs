/**
 * How long it takes from opening the app to a window that can be used, in a real Chromium that is running already, with
 * everything read once before (warm). Run by hand, on a machine that does nothing else:
 *
 *   node bench/startup.mjs [--repeat 9] [--runs 50]
 *
 * "app" counts from the start of the host process (`copyscope serve`), "window" from the beginning of navigation. A
 * window can be used when the library is listed, has been painted, and a click on an example would open it. Prints the
 * best and the median of the repeats, and the size of what had to be loaded.
 */
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { ensureBuilt } from '../scripts/build.mjs';
import { findChromium } from '../scripts/lib/chromium.mjs';
import { inRoot } from '../scripts/lib/paths.mjs';
import { addressOf } from './support/window.mjs';

const { values: options } = parseArgs({
  options: { repeat: { type: 'string', default: '9' }, runs: { type: 'string', default: '50' } },
});
const repeats = Number(options.repeat);
const limitMs = 1500;
const work = mkdtempSync(join(tmpdir(), 'copyscope-startup-'));
const viewport = { width: 1600, height: 900 };

/** Fills a library with `runs` simulated runs in addition to the shipped ones. */
function fillLibrary(count) {
  const example = inRoot('assets/examples/overlap/pinned-side-stream.json');
  const first = join(work, 'runs/run-1.arrow');
  mkdirSync(join(work, 'runs'));
  execFileSync(process.execPath, [inRoot('dist/host/cli.js'), 'run', example, '--engine', 'sim', '--out', first], {
    stdio: 'ignore',
  });
  for (let run = 2; run <= count; run += 1) copyFileSync(first, join(work, `runs/run-${run}.arrow`));
}

/** Starts the host; resolves with the address it prints. */
function startHost() {
  const child = spawn(process.execPath, [inRoot('dist/host/cli.js'), 'serve'], {
    env: { ...process.env, COPYSCOPE_DATA: work },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const address = addressOf(child);
  const stop = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.kill('SIGTERM');
    });
  return { address, stop };
}

/** Runs in the page before anything of it: notes the first frame after which the library is on screen. */
function watch() {
  const look = () => {
    const example = document.querySelector('section[aria-label="Examples"] li button');
    if (example === null) return requestAnimationFrame(look);
    // After the frame that shows it.
    return requestAnimationFrame(() => setTimeout(() => globalThis.performance.mark('usable')));
  };
  requestAnimationFrame(look);
}

function readMarks() {
  const [usable] = performance.getEntriesByName('usable');
  if (usable === undefined) return null;
  const [painted] = performance.getEntriesByName('first-contentful-paint');
  const loaded = performance.getEntriesByType('resource').filter(({ name }) => /\.(js|css)$/.test(name));
  return {
    usableMs: usable.startTime,
    paintedMs: painted?.startTime ?? Number.NaN,
    bytes: loaded.reduce((sum, { decodedBodySize }) => sum + decodedBodySize, 0),
  };
}

async function openOnce(browser) {
  const started = performance.now();
  const host = startHost();
  const page = await browser.newPage({ viewport });
  try {
    await page.addInitScript(watch);
    const address = await host.address;
    const before = performance.now();
    await page.goto(address);
    const marks = await (await page.waitForFunction(readMarks, null, { polling: 20 })).jsonValue();
    return { hostMs: before - started, appMs: before - started + marks.usableMs, ...marks };
  } finally {
    await page.close();
    await host.stop();
  }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const row = (name, values) =>
  `${name.padEnd(44)} best ${Math.min(...values)
    .toFixed(0)
    .padStart(5)} ms   median ${median(values).toFixed(0).padStart(5)} ms`;

try {
  await ensureBuilt(['renderer', 'host']);
  fillLibrary(Number(options.runs));
  const browser = await chromium.launch({
    executablePath: (await findChromium()) ?? undefined,
    args: ['--disable-gpu', '--no-first-run', '--disable-background-networking'],
  });
  await openOnce(browser);
  const times = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) times.push(await openOnce(browser));
  await browser.close();
  const of = (name) => times.map((time) => time[name]);
  console.log(`${repeats} starts, ${options.runs} runs in the library, Chromium ${browser.version()}`);
  console.log(row('host: process start to address', of('hostMs')));
  console.log(row('window: navigation to first paint', of('paintedMs')));
  console.log(row('window: navigation to usable', of('usableMs')));
  console.log(row('app: process start to usable window', of('appMs')));
  console.log(`loaded: ${(times[0].bytes / 1e6).toFixed(2)} MB of scripts and styles, unpacked`);
  const within = median(of('appMs')) <= limitMs;
  console.log(`${within ? 'Within' : 'Over'} the limit of ${limitMs} ms (median, app).`);
  process.exitCode = within ? 0 : 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
