/**
 * Measures opening a large trace: the real headless server and the built window in a real Chromium. Run by hand:
 *
 *   node bench/open-trace.mjs [events …] [--cancel SECONDS]
 *
 * Without numbers it opens 1,000,000, 3,000,000 and 10,000,000 tiny events, one file after the other, each with a server
 * and a browser of its own. Prints the time until its lanes are shown, the time of the first progress bar, the peak memory
 * of the page's processes and the server, and the longest freeze of the window. With --cancel, cancels it after this many
 * seconds, and prints the time until the window is as before.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { load, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { cancel: { type: 'string' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [1e6, 3e6, 1e7];
const { writeLargeTrace } = await load('test/support/largeTrace.ts');

const megabytes = (pid, field) => {
  try {
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
  } catch {
    return 0;
  }
};

/** Returns the peak of the process with the page: the largest of the browser's renderers. */
function pagePeak() {
  const listed = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  const renderers = listed.split('\n').filter((line) => line.includes('--type=renderer'));
  return Math.max(0, ...renderers.map((line) => megabytes(line.trim().split(' ')[0], 'VmHWM')));
}

/** Runs in the page: the longest task since. */
function watchTasks() {
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) globalThis.longest = Math.max(globalThis.longest, duration);
  }).observe({ type: 'longtask' });
}

async function choose(page, path) {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Page.enable');
  await cdp.send('DOM.enable');
  await cdp.send('Page.setInterceptFileChooserDialog', { enabled: true });
  cdp.on('Page.fileChooserOpened', ({ backendNodeId }) =>
    cdp.send('DOM.setFileInputFiles', { files: [path], backendNodeId }),
  );
  await page
    .getByLabel('Library', { exact: true })
    .getByRole('button', { name: /^Open a / })
    .click();
}

const seconds = (since) => ((performance.now() - since) / 1000).toFixed(1);

async function open(page, address, server, path) {
  page.setDefaultTimeout(900_000);
  await page.goto(address);
  await page.getByRole('region', { name: 'Status' }).filter({ hasText: 'Engine process ready' }).waitFor();
  await page.evaluate(watchTasks);
  const bar = page.getByRole('progressbar');
  const begun = performance.now();
  await choose(page, path);
  await bar.first().waitFor();
  const barAfter = seconds(begun);
  if (options.cancel !== undefined) {
    await page.waitForTimeout(Math.max(0, Number(options.cancel) * 1000 - (performance.now() - begun)));
    const cancelled = performance.now();
    await page
      .getByRole('button', { name: /^Cancel/ })
      .first()
      .click();
    await bar.first().waitFor({ state: 'detached' });
    console.log(`  cancelled after ${options.cancel} s: gone ${seconds(cancelled)} s later`);
    return;
  }
  await page.getByRole('heading', { level: 1, name: 'large' }).waitFor();
  const named = seconds(begun);
  await page.getByTestId('timeline-plot').first().waitFor();
  console.log(
    `  bar after ${barAfter} s, in the library after ${named} s, lanes after ${seconds(begun)} s; ` +
      `at most: server ${megabytes(server, 'VmHWM').toFixed(0)} MB, page ${pagePeak().toFixed(0)} MB, ` +
      `a task of ${(await page.evaluate(() => globalThis.longest)).toFixed(0)} ms`,
  );
}

await ensureBuilt(['renderer', 'host']);
for (const events of sizes) {
  const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
  const path = join(work, 'large.json');
  try {
    writeLargeTrace(path, events, 'tiny');
    console.log(`${events.toLocaleString('en')} events, ${(statSync(path).size / 1e6).toFixed(0)} MB`);
    await withServer(join(work, 'data'), (address, server) =>
      withBrowser([], (page) => open(page, address, server, path)),
    );
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 10 });
  }
}
