/**
 * How fast a large run opens, pans and zooms: the real headless server and the built window in a real Chromium, and
 * speedscope's published build on the same events in the same browser. Run by hand:
 *
 *   node bench/timeline.mjs [events …] [--repeat 3] [--no-speedscope] [--detail]
 *
 * Without numbers it measures 1,000,000 and 10,000,000 events; speedscope gets the first. It is installed from npm into
 * a temporary folder, and left out where that fails. Every figure is the best of the repeats: other work on the machine
 * only ever makes one worse.
 */
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  createReadStream,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { load, quantile, viewport, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    repeat: { type: 'string', default: '3' },
    'no-speedscope': { type: 'boolean', default: false },
    detail: { type: 'boolean', default: false },
  },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [1_000_000, 10_000_000];
const repeats = Number(options.repeat);
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
const frames = 200;

/** Frames come as fast as they are drawn, so that their true cost shows. */
const uncapped = ['--disable-frame-rate-limit', '--disable-gpu-vsync'];

/** Runs in the page. From the click until the plot is on screen: its first frame, and the one after that. */
function openRun(name) {
  const button = [
    ...document.querySelectorAll('[aria-label="Library"] button, section[aria-label="Runs"] button'),
  ].find((one) => one.textContent?.includes(name));
  if (button === undefined) throw new Error(`no run called ${name} in the library`);
  const before = performance.now();
  button.click();
  return new Promise((resolve, reject) => {
    const look = () => {
      const plot = document.querySelector('[data-testid="timeline-plot"]');
      if (plot?.querySelector('canvas') && plot.dataset.endNs !== undefined) {
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - before)));
      } else if (performance.now() - before > 120_000) reject(new Error('nothing was drawn within two minutes'));
      else requestAnimationFrame(look);
    };
    look();
  });
}

/**
 * Runs in the page. One wheel event a frame: in to some microseconds and out again, panning on the way. The time from
 * one frame's start to the next holds everything a frame costs: handlers, drawing, and bringing it to the screen.
 */
async function panAndZoom({ selector, count }) {
  const element = document.querySelector(selector);
  const box = element.getBoundingClientRect();
  const at = {
    clientX: box.left + box.width * 0.61,
    clientY: box.top + box.height * 0.4,
    bubbles: true,
    cancelable: true,
  };
  const step = (k) => {
    const phase = k % 50;
    if (phase < 20) return { ctrlKey: true, deltaY: -120 };
    if (phase < 30) return { deltaX: phase % 2 === 0 ? 90 : 60, deltaY: 0 };
    return { ctrlKey: true, deltaY: 120 };
  };
  const times = [];
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => resolve(performance.now())));
  await frame();
  let last = await frame();
  for (let k = 0; k < count; k += 1) {
    element.dispatchEvent(new WheelEvent('wheel', { ...at, ...step(k) }));
    const now = await frame();
    times.push(now - last);
    last = now;
  }
  return times;
}

/** MB of script objects and of the memory behind typed arrays, of the page and its worker; and of its whole process. */
async function memoryOf(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize, backingStorageSize = 0 } = await session.send('Runtime.getHeapUsage');
  const agent = await page.evaluate(async () =>
    typeof performance.measureUserAgentSpecificMemory === 'function' && globalThis.crossOriginIsolated
      ? (await performance.measureUserAgentSpecificMemory()).bytes
      : null,
  );
  const MB = 1e6;
  return { heap: usedSize / MB, arrays: backingStorageSize / MB, agent: agent === null ? null : agent / MB };
}

async function measureCopyscope(dataFolder, name) {
  return withServer(dataFolder, (address) =>
    withBrowser(uncapped, async (page) => {
      await page.goto(address);
      await page.getByText(name).first().waitFor({ timeout: 120_000 });
      await page.waitForTimeout(1500);
      const openMs = await page.evaluate(openRun, name);
      await page.waitForTimeout(3000);
      const times = await page.evaluate(panAndZoom, { selector: '[data-testid="timeline-plot"]', count: frames });
      if (options.detail)
        await page.screenshot({ path: join(tmpdir(), `copyscope-bench-${name.replace(/ /g, '-')}.png`) });
      const found = await hitTest(page, name);
      return {
        openMs,
        medianMs: quantile(times, 0.5),
        p95Ms: quantile(times, 0.95),
        ...(await memoryOf(page)),
        ...found,
      };
    }),
  );
}

/** Moves the pointer to random events of the trace and reads what the window says is there. */
async function hitTest(page, name) {
  const expected = traces.get(name);
  if (expected === undefined) return {};
  return expected(page);
}

// speedscope

const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' };

async function withFiles(folder, action) {
  const server = createServer((request, response) => {
    const path = join(folder, decodeURIComponent(new URL(request.url, 'http://x').pathname));
    try {
      response.writeHead(200, {
        'Content-Type': types[extname(path)] ?? 'application/octet-stream',
        'Content-Length': statSync(path).size,
      });
      createReadStream(path).pipe(response);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    return await action(`http://127.0.0.1:${server.address().port}`);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function installSpeedscope() {
  const folder = join(work, 'speedscope');
  mkdirSync(folder);
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  try {
    execFileSync('npm', ['install', 'speedscope', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'ignore',
      timeout: 120_000,
    });
  } catch {
    return null;
  }
  return join(folder, 'node_modules/speedscope/dist/release');
}

async function measureSpeedscope(release, trace) {
  writeChromeTrace(trace, join(release, 'trace.json'));
  return withFiles(release, (address) =>
    withBrowser(uncapped, async (page) => {
      await page.goto(`${address}/index.html`);
      await page.waitForTimeout(500);
      const file = page.locator('input[type=file]');
      const before = performance.now();
      await file.setInputFiles(join(release, 'trace.json'));
      await page.waitForFunction(() => document.querySelectorAll('canvas').length >= 2, null, {
        timeout: 300_000,
        polling: 50,
      });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
      const openMs = performance.now() - before;
      const times = await page.evaluate(panAndZoom, { selector: 'canvas:last-of-type', count: frames });
      return { openMs, medianMs: quantile(times, 0.5), p95Ms: quantile(times, 0.95), ...(await memoryOf(page)) };
    }),
  );
}

function writeChromeTrace(trace, path) {
  const file = openSync(path, 'w');
  for (const part of chromeTrace(trace)) writeSync(file, part);
  closeSync(file);
}

// Report

const digits = (value) =>
  value === null || value === undefined ? '-' : value >= 100 ? value.toFixed(0) : value.toFixed(1);
const columns = [
  ['open ms', 'openMs'],
  ['median ms', 'medianMs'],
  ['p95 ms', 'p95Ms'],
  ['heap MB', 'heap'],
  ['arrays MB', 'arrays'],
  ['all MB', 'agent'],
  ['found', 'found'],
];

function best(results) {
  const keys = [...new Set(results.flatMap((result) => Object.keys(result)))];
  return Object.fromEntries(
    keys.map((key) => {
      const values = results.map((result) => result[key]).filter((value) => typeof value === 'number');
      return [key, values.length === 0 ? null : key === 'found' ? Math.min(...values) : Math.min(...values)];
    }),
  );
}

function print(what, result) {
  console.log(`${what.padEnd(34)}${columns.map(([, key]) => digits(result[key]).padStart(10)).join('')}`);
}

const traces = new Map();
await ensureBuilt(['renderer', 'host']);
const { syntheticRun } = await load('test/support/syntheticRun.ts');
const { encodeRun } = await load('core/trace/arrow.ts');
const { chromeTrace } = await load('bench/support/chromeTrace.ts');
const picks = await load('bench/support/hits.ts');
console.log(`${frames} frames, ${viewport.width}x${viewport.height}, best of ${repeats}, software rendering`);
console.log(`${''.padEnd(34)}${columns.map(([title]) => title.padStart(10)).join('')}`);
try {
  for (const [index, events] of sizes.entries()) {
    const run = syntheticRun(events);
    const name = run.info.imported.name;
    const folder = join(work, `data-${events}`);
    mkdirSync(join(folder, 'runs/imported'), { recursive: true });
    writeFileSync(join(folder, `runs/imported/synthetic-${events}.arrow`), encodeRun(run));
    traces.set(name, (page) => picks.findEvents(page, run.trace, 1000));
    const results = [];
    for (let repeat = 0; repeat < repeats; repeat += 1) {
      results.push(await measureCopyscope(folder, name));
      if (options.detail) print(`  ${events} repeat ${repeat + 1}`, results.at(-1));
    }
    print(`copyscope, ${events.toLocaleString('en')} events`, best(results));
    rmSync(folder, { recursive: true });
    if (index > 0 || options['no-speedscope']) continue;
    const release = installSpeedscope();
    if (release === null) console.log('speedscope could not be installed from npm.');
    else print(`speedscope, ${events.toLocaleString('en')} events`, await measureSpeedscope(release, run.trace));
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
