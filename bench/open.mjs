/**
 * Measures opening a long experiment, and how long the window freezes. The real headless server and the built window in a
 * real Chromium. Run by hand:
 *
 *   node bench/open.mjs [operations …] [--calls 3] [--profile FOLDER]
 *
 * Without numbers it opens 120,000 operations. The clock starts at the click on the experiment in the library. Three times
 * follow: the score is shown; the lanes are; an operation inserted with Ctrl+D, once the window is idle, has changed the
 * lanes (from its own key). The longest task of each part is the longest freeze. --profile writes V8's CPU profile of the
 * window in the last call.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { load, profileOf, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'string', default: '3' }, profile: { type: 'string' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [120_000];
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
/** The window is at rest when it has had no long task for so long. */
const quietMs = 3000;

/** Runs in the page: the long tasks, and the moments when score and lanes appear or change. */
function watchWindow() {
  const watched = { begin: 0, tasks: [], marks: {}, lanes: undefined };
  globalThis.watched = watched;
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) watched.tasks.push({ startTime, duration });
  }).observe({ type: 'longtask' });
  const look = () => {
    const now = performance.now();
    if (document.querySelector('[role="progressbar"]') !== null) watched.marks.progress ??= now;
    if (document.querySelector('[data-testid="score-sheet"] [data-op="0"]') !== null) watched.marks.score ??= now;
    const lanes = document.querySelector('[data-testid="timeline-plot"]')?.dataset.endNs;
    if (lanes !== undefined && lanes !== watched.lanes) {
      watched.lanes = lanes;
      watched.marks.lanes ??= now;
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
  for (const type of ['click', 'keydown']) {
    window.addEventListener(
      type,
      ({ timeStamp }) => {
        watched.begin = timeStamp;
        watched.tasks = [];
        watched.marks = {};
      },
      { capture: true },
    );
  }
}

/** Returns the times since the last click or key until the lanes have come and the window is idle, in milliseconds. */
async function settled(page) {
  await page.waitForFunction(() => globalThis.watched.marks.lanes !== undefined, undefined, { timeout: 120_000 });
  await page.waitForFunction(
    (quiet) => {
      const { tasks, marks } = globalThis.watched;
      const last = Math.max(marks.lanes, ...tasks.map(({ startTime, duration }) => startTime + duration));
      return performance.now() - last > quiet;
    },
    quietMs,
    { polling: 200, timeout: 120_000 },
  );
  return page.evaluate(() => {
    const { begin, tasks, marks } = globalThis.watched;
    const since = (time) => (time === undefined ? null : Math.round(time - begin));
    return {
      score: since(marks.score),
      lanes: since(marks.lanes),
      progress: since(marks.progress),
      tasks: tasks.map(({ startTime, duration }) => ({ at: since(startTime), ms: Math.round(duration) })),
    };
  });
}

async function measure(count, isProfiled) {
  const { longExperiment } = await load('bench/support/longExperiment.ts');
  const folder = mkdtempSync(join(work, `data-`));
  mkdirSync(join(folder, 'experiments'), { recursive: true });
  writeFileSync(join(folder, 'experiments/long.json'), JSON.stringify(longExperiment(count)));
  return withServer(folder, (address) =>
    withBrowser([], async (page) => {
      await page.goto(address);
      const button = page.getByRole('button', { name: `${count} operations`, exact: true });
      await button.waitFor();
      await page.waitForTimeout(quietMs);
      await page.evaluate(watchWindow);
      const profiled = async (what, action) => {
        const stop = isProfiled ? await profileOf(page) : null;
        await action();
        const found = await settled(page);
        await stop?.(join(options.profile, `open-${count}-${what}.cpuprofile`));
        return found;
      };
      const opened = await profiled('opened', () => button.click());
      await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
      await page.waitForTimeout(quietMs);
      return { opened, edited: await profiled('edited', () => page.keyboard.press('Control+d')) };
    }),
  );
}

function line(name, { score, lanes, progress, tasks }) {
  const longest = Math.max(0, ...tasks.map(({ ms }) => ms));
  const shown = [
    ...(score === null ? [] : [`score ${score}`]),
    ...(progress === null ? [] : [`progress ${progress}`]),
    `lanes ${lanes}`,
    `longest task ${longest}`,
    `long tasks ${tasks.map(({ at, ms }) => `${ms} at ${at}`).join(', ')}`,
  ];
  console.log(`  ${name.padEnd(16)}${shown.join('; ')}`);
}

await ensureBuilt(['renderer', 'host']);
try {
  for (const count of sizes) {
    const calls = Number(options.calls);
    console.log(`${count.toLocaleString('en')} operations, milliseconds from the click, and from the key:`);
    for (let call = 0; call < calls; call += 1) {
      const { opened, edited } = await measure(count, options.profile !== undefined && call === calls - 1);
      line('opened', opened);
      line('one put in', edited);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
