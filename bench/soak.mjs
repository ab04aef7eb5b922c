/**
 * Whether a window that is used for long holds more and more memory: runs, imports, comparisons and predictions in turn,
 * in a real Chromium on the real headless server. Run by hand:
 *
 *   node bench/soak.mjs [--count 2000] [--minutes 240] [--only run,import,compare,predict] [--interpreted]
 *
 * Every 50 actions the page's heap (after a collection), its DOM nodes, and what server and engine process hold (resident)
 * are printed, and what was kept is deleted, so that the library stays as long as it was. The last lines compare what was
 * held when the first 200 were done with the end: what grows with use shows there, what a process sets aside once does not.
 *
 * V8 counts the machine code that it compiles as heap, and goes on compiling for thousands of actions: --interpreted has
 * the page run without, so that its heap is what the page itself holds.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { inRoot } from '../scripts/lib/paths.mjs';
import { connectAsWindow } from './support/hostClient.mjs';
import { withBrowser, withServer } from './support/window.mjs';

const { values: options } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    minutes: { type: 'string', default: '240' },
    interpreted: { type: 'boolean', default: false },
    only: { type: 'string', default: 'run,import,compare,predict' },
  },
});
const count = Number(options.count);
const until = Date.now() + Number(options.minutes) * 60_000;
const every = 50;
const noMachineCode = '--js-flags=--no-sparkplug,--no-maglev,--no-turbofan,--regexp-interpret-all';
const work = mkdtempSync(join(tmpdir(), 'copyscope-soak-'));
const trace = JSON.parse(readFileSync(inRoot('test/fixtures/pytorch-traces/trace_streamed0_pinned0.json'), 'utf8'));
/** Answer to the next file chooser. */
let chosen = '';
const example = 'Pinned source, second stream';

/** Resident, in MB. */
const residentOf = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
const childrenOf = (pid) =>
  execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' })
    .trim()
    .split(/\s+/)
    .map(Number);

const library = (page) => page.getByLabel('Library', { exact: true });
const heading = (page, name) => page.getByRole('heading', { level: 1, name });

async function openExample(page) {
  await library(page).getByRole('button', { name: example, exact: true }).first().click();
  await heading(page, example).waitFor();
  await page.getByTestId('timeline-plot').first().waitFor();
}

/** Runs what is open, and waits until its end was announced. */
async function run(page) {
  await openExample(page);
  await page.evaluate(() => {
    const announcement = document.querySelector('[data-testid="announcement"]');
    globalThis.ended = new Promise((resolve) => {
      const seen = new MutationObserver(() => {
        if (!announcement.textContent?.startsWith('Run of ')) return;
        seen.disconnect();
        resolve();
      });
      seen.observe(announcement, { childList: true, subtree: true, characterData: true });
    });
  });
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  await page.evaluate(() => globalThis.ended);
}

/**
 * Answers the browser's file chooser with the file `path` without keeping a handle to the input: an element that
 * Playwright knows stays as long as its page, and would count here as leaked by the page.
 */
async function answerChoosers(cdp, path) {
  await cdp.send('Page.enable');
  await cdp.send('DOM.enable');
  await cdp.send('Page.setInterceptFileChooserDialog', { enabled: true });
  cdp.on('Page.fileChooserOpened', ({ backendNodeId }) =>
    cdp.send('DOM.setFileInputFiles', { files: [path()], backendNodeId }),
  );
}

/** A trace that differs from those before it: the same one is not kept again. */
async function importTrace(page, number) {
  chosen = join(work, `soak-${number}.json`);
  writeFileSync(chosen, JSON.stringify({ ...trace, soak: number }));
  await library(page)
    .getByRole('button', { name: /^Open a / })
    .click();
  await heading(page, `soak-${number}`).waitFor();
  rmSync(chosen);
}

async function compare(page) {
  const recorded = library(page)
    .getByRole('region', { name: 'Runs' })
    .getByRole('listitem')
    .filter({ hasText: 'Recorded' });
  await recorded.filter({ hasText: example }).first().getByRole('button').first().click();
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await page.getByRole('menuitem', { name: 'Predicted against recorded' }).click();
  await page.getByRole('list', { name: 'Runs compared' }).getByRole('article').nth(1).waitFor();
  await page.getByRole('region', { name: 'Table of differences' }).waitFor();
}

/** Puts an operation in and takes it back: each is predicted and drawn. */
async function predict(page) {
  await openExample(page);
  const plot = page.getByTestId('timeline-plot').first();
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  const before = await plot.getAttribute('data-end-ns');
  const changed = (other) =>
    page.waitForFunction(
      (end) => document.querySelector('[data-testid="timeline-plot"]')?.dataset.endNs !== end,
      other,
    );
  await page.keyboard.press('Control+d');
  await changed(before);
  const edited = await plot.getAttribute('data-end-ns');
  await page.keyboard.press('Control+z');
  await changed(edited);
}

const kinds = { run, import: importTrace, compare, predict };
const actions = options.only.split(',').map((name) => kinds[name]);

async function measure(cdp, server) {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  const metric = (name) => metrics.find((one) => one.name === name)?.value ?? Number.NaN;
  const [engine] = childrenOf(server);
  return {
    page: metric('JSHeapUsedSize') / 2 ** 20,
    nodes: metric('Nodes'),
    server: residentOf(server),
    engine: residentOf(engine),
  };
}

/** Everything that was kept, for good: what Undo keeps of it goes by itself after minutes. */
async function emptyLibrary(service) {
  const [runs, experiments] = [await service.runs(), await service.experiments()];
  const items = {
    runs: runs.filter(({ builtIn }) => !builtIn).map(({ id }) => id),
    experiments: experiments.map(({ id }) => id),
    sweeps: [],
  };
  await service.deleteItems(items).catch((error) => {
    // The window restored its own copy in the meantime; the next call deletes the rest.
    if (!/not-found$/.test(error.code)) throw error;
  });
}

async function soak(page, address, server) {
  page.setDefaultTimeout(600_000);
  await page.goto(address);
  await page.getByRole('region', { name: 'Status' }).filter({ hasText: 'Engine process ready' }).waitFor();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  await answerChoosers(cdp, () => chosen);
  const session = await page.evaluate(() => sessionStorage.getItem('copyscope:session'));
  const { service, socket } = await connectAsWindow(address, session);
  const found = [];
  let done = 0;
  for (; done < count && Date.now() < until; ) {
    await actions[done % actions.length](page, done);
    done += 1;
    if (done % every !== 0) continue;
    await emptyLibrary(service);
    await openExample(page);
    const now = { done, ...(await measure(cdp, server)) };
    found.push(now);
    console.log(
      `${String(done).padStart(5)} actions: page ${now.page.toFixed(1)} MB of heap, ${now.nodes} nodes; ` +
        `server ${now.server.toFixed(0)} MB, engine process ${now.engine.toFixed(0)} MB`,
    );
  }
  socket.terminate();
  return { found, done };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

const settledAfter = 200;

/** The middle of four measurements from there on, and of the last four. */
function compareEnds(found) {
  const settled = found.filter(({ done }) => done >= settledAfter).slice(0, 4);
  for (const name of ['page', 'nodes', 'server', 'engine']) {
    const of = (part) => median(part.map((one) => one[name]));
    const [first, last] = [of(settled), of(found.slice(-4))];
    console.log(`${name.padEnd(7)} ${first.toFixed(1)} after ${settled[0].done}, ${last.toFixed(1)} at the end`);
  }
}

try {
  await ensureBuilt(['renderer', 'host']);
  const { found, done } = await withServer(work, (address, server) =>
    withBrowser(options.interpreted ? [noMachineCode] : [], (page) => soak(page, address, server)),
  );
  console.log(`${done} actions, as many of each: ${options.only}`);
  if (found.length >= 8) compareEnds(found);
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 10 });
}
