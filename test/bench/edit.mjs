/**
 * How soon a change shows: from the key that changes an operation of a long experiment to the frame with the lanes that
 * are predicted for it. The real headless server and the built window in a real Chromium. Run by hand:
 *
 *   node test/bench/edit.mjs [operations …] [--edits 60] [--profile FOLDER]
 *
 * Without numbers it measures 2,000 operations. A key event is sent to the score and handled there; its time stamp is
 * where the clock begins. It ends when the frame that was drawn after the plot took the new lanes over is presented.
 * --profile writes V8's CPU profiles of the window and of the worker that predicts.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../scripts/build.mjs';
import { load, quantile, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { edits: { type: 'string', default: '60' }, profile: { type: 'string' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [2000];
const edits = Number(options.edits);
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));

/**
 * Runs in the page. Presses a key on the focused block again and again, up and down in turn; the lanes have a new extent
 * each time. Gives, for each, the milliseconds to the end of the edit's own handler, to the new lanes, and to their frame.
 */
async function editAgain(count) {
  const block = document.querySelector('[data-cursor]');
  block.focus();
  const channel = new MessageChannel();
  const presented = () =>
    new Promise((resolve) =>
      requestAnimationFrame(() => {
        // Comes after the frame was drawn.
        channel.port1.onmessage = () => resolve(performance.now());
        channel.port2.postMessage(null);
      }),
    );
  const found = [];
  for (let k = 0; k < count; k += 1) {
    const plot = document.querySelector('[data-testid="timeline-plot"]');
    const before = plot.dataset.endNs;
    const drawn = new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('no new lanes within ten seconds')), 10_000);
      const observer = new MutationObserver(() => {
        const now = document.querySelector('[data-testid="timeline-plot"]');
        if (now?.dataset.endNs === undefined || now.dataset.endNs === before) return;
        clearTimeout(timer);
        observer.disconnect();
        resolve(performance.now());
      });
      const watched = document.querySelector('[aria-label="Timeline"]');
      observer.observe(watched, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-end-ns'] });
    });
    const event = new KeyboardEvent('keydown', { key: k % 2 === 0 ? '+' : '-', bubbles: true, cancelable: true });
    const begin = performance.now();
    document.querySelector('[data-cursor]').dispatchEvent(event);
    const handled = performance.now();
    const lanes = await drawn;
    const frame = await presented();
    found.push([handled - begin, lanes - begin, frame - begin]);
    await new Promise((resolve) => setTimeout(resolve, 400));
  }
  return found;
}

async function measure(count) {
  const { longExperiment } = await load('test/bench/support/longExperiment.ts');
  const folder = join(work, `data-${count}`);
  mkdirSync(join(folder, 'experiments'), { recursive: true });
  writeFileSync(join(folder, 'experiments/long.json'), JSON.stringify(longExperiment(count)));
  return withServer(folder, (address) =>
    withBrowser([], async (page) => {
      await page.goto(address);
      await page.getByRole('button', { name: `${count} operations`, exact: true }).click();
      await page.getByTestId('timeline-plot').waitFor({ timeout: 60_000 });
      await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
      await page.waitForTimeout(1500);
      // Compiled by then, as after a minute's work.
      await page.evaluate(editAgain, 15);
      const stop = options.profile === undefined ? null : await profile(page);
      const found = await page.evaluate(editAgain, edits);
      await stop?.(join(options.profile, `edit-${count}.cpuprofile`));
      return found;
    }),
  );
}

async function profile(page) {
  const session = await page.context().newCDPSession(page);
  await session.send('Profiler.enable');
  await session.send('Profiler.setSamplingInterval', { interval: 200 });
  await session.send('Profiler.start');
  return async (file) => {
    const { profile } = await session.send('Profiler.stop');
    mkdirSync(options.profile, { recursive: true });
    writeFileSync(file, JSON.stringify(profile));
  };
}

await ensureBuilt(['renderer', 'host']);
try {
  for (const count of sizes) {
    const found = await measure(count);
    console.log(`${count.toLocaleString('en')} operations, ${edits} edits, milliseconds from the key:`);
    for (const [at, what] of ['handled', 'lanes drawn', 'frame presented'].entries()) {
      const values = found.map((one) => one[at]);
      const line = [0, 0.5, 0.95].map((share) => quantile(values, share).toFixed(1).padStart(9)).join('');
      console.log(`${what.padEnd(18)}${line}   (least, median, 95th percentile)`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
