/**
 * How soon a change shows: from the key that changes an operation of a long experiment to the frame with the lanes that
 * are predicted for it. The real headless server and the built window in a real Chromium. Run by hand:
 *
 *   node bench/edit.mjs [operations …] [--edits 60] [--pause 500] [--profile FOLDER]
 *
 * Without numbers it measures 2,000 operations. Keys are pressed in the score: + and - change one operation, Ctrl+D and
 * Delete put another one in and take it out, after which those behind it have other numbers. The clock begins at the time
 * stamp that the browser gave the key event. Four moments follow: its handler begins; the page has drawn the new lanes;
 * the browser presents the first frame that holds them, as its own trace tells, after style, layout, raster and the
 * compositor's drawing; it presents the first frame that holds the changed score. A frame is presented at the moment that
 * the Event Timing API takes for the end of an interaction. Without a graphics card that is when the frame's pixels are
 * written; a screen would add its own delay. The processor time is that of the window's thread until the lanes' frame, which
 * other work on the machine lengthens least. The longest task is what the window stood still for until the next edit, with
 * what followed in the workers as far as --pause gives it time: milliseconds between lanes and the next key. --profile
 * writes V8's CPU profile of the window.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { frameTimes } from './support/frames.mjs';
import { load, profileOf, quantile, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    edits: { type: 'string', default: '60' },
    pause: { type: 'string', default: '500' },
    profile: { type: 'string' },
  },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [2000];
const edits = Number(options.edits);
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
/** Time between two edits. Work in the workers after an edit runs in it, and may continue during the next one. */
const pauseMs = Number(options.pause);

const kinds = [
  { what: 'one operation changed', keys: ['+', '-'] },
  { what: 'an operation put in or taken out', keys: ['Control+d', 'Delete'] },
];

/**
 * Runs in the page: takes the times when a key event came, when the plot shows other lanes, and when the score changes.
 * The marks for the trace are made of them later, so that making them is no part of what is measured.
 */
function watchEdits() {
  const watched = { edit: 0, lags: [], isScoreDrawn: true, drawn: () => {}, times: {} };
  globalThis.watched = watched;
  window.addEventListener(
    'keydown',
    (event) => {
      if (event.key === 'Control') return;
      watched.times.key = performance.now();
      watched.lags[watched.edit] = watched.times.key - event.timeStamp;
      watched.isScoreDrawn = false;
    },
    { capture: true },
  );
  const plot = document.querySelector('[data-testid="timeline-plot"]');
  let makespanNs = plot.dataset.makespanNs;
  new MutationObserver(() => {
    const now = plot.dataset.makespanNs;
    if (now === makespanNs) return;
    makespanNs = now;
    watched.times.lanes = performance.now();
    watched.drawn();
  }).observe(plot, { attributes: true, attributeFilter: ['data-makespan-ns'] });
  watched.mark = () => {
    for (const [name, startTime] of Object.entries(watched.times))
      performance.mark(`${name} ${watched.edit}`, { startTime });
    watched.times = {};
  };
  new MutationObserver(() => {
    if (watched.isScoreDrawn) return;
    watched.isScoreDrawn = true;
    watched.times.score = performance.now();
  }).observe(document.querySelector('[data-testid="score-sheet"]'), {
    subtree: true,
    childList: true,
    characterData: true,
    attributes: true,
  });
}

async function pickFirst(page) {
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await page.waitForTimeout(pauseMs / 2);
}

/** Presses two keys in turn on the first block, again and again: the lanes have a new extent each time. */
async function editAgain(page, keys, count) {
  for (let edit = 0; edit < count; edit += 1) {
    // Selects the first block again, because the edited operation is gone.
    if (edit % keys.length === 0) await pickFirst(page);
    await page.evaluate((number) => {
      globalThis.watched.edit = number;
      globalThis.drawn = new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no new lanes within ten seconds')), 10_000);
        globalThis.watched.drawn = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }, edit);
    await page.keyboard.press(keys[edit % keys.length]);
    await page.evaluate(() => globalThis.drawn);
    await page.waitForTimeout(pauseMs);
    await page.evaluate(() => globalThis.watched.mark());
  }
}

async function measure(count, { what, keys }) {
  const { longExperiment } = await load('bench/support/longExperiment.ts');
  const folder = join(work, `data-${count}-${what}`);
  mkdirSync(join(folder, 'experiments'), { recursive: true });
  writeFileSync(join(folder, 'experiments/long.json'), JSON.stringify(longExperiment(count)));
  return withServer(folder, (address) =>
    withBrowser([], async (page, browser) => {
      await page.goto(address);
      await page.getByRole('button', { name: `${count} operations`, exact: true }).click();
      await page.getByTestId('timeline-plot').waitFor({ timeout: 60_000 });
      await page.waitForTimeout(1500);
      await page.evaluate(watchEdits);
      // Compiled by then, as after a minute's work.
      await editAgain(page, keys, 20);
      const stop = options.profile === undefined ? null : await profileOf(page);
      await browser.startTracing(page, { categories: ['-*', 'devtools.timeline', 'blink.user_timing', 'toplevel'] });
      await editAgain(page, keys, edits);
      const trace = await browser.stopTracing();
      await stop?.(join(options.profile, `edit-${count}-${what.replaceAll(' ', '-')}.cpuprofile`));
      const lags = await page.evaluate(() => globalThis.watched.lags);
      return frameTimes(JSON.parse(trace.toString()).traceEvents, lags.slice(0, edits));
    }),
  );
}

function print(count, { what }, found) {
  console.log(`${count.toLocaleString('en')} operations, ${what}, ${found.length} edits, milliseconds from the key:`);
  for (const [field, name] of [
    ['handledMs', 'handler begins'],
    ['drawnMs', 'lanes drawn'],
    ['presentedMs', 'lanes presented'],
    ['scoreMs', 'score presented'],
    ['processorMs', 'processor time'],
    ['longestMs', 'longest task'],
  ]) {
    const values = found.map((one) => one[field]);
    const line = [0, 0.5, 0.95].map((share) => quantile(values, share).toFixed(1).padStart(9)).join('');
    console.log(`${name.padEnd(18)}${line}   (least, median, 95th percentile)`);
  }
}

await ensureBuilt(['renderer', 'host']);
try {
  for (const count of sizes) for (const kind of kinds) print(count, kind, await measure(count, kind));
} finally {
  rmSync(work, { recursive: true, force: true });
}
