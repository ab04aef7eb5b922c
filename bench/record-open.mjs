/**
 * How long after a recorded program's end the window shows what it did: the lanes, the steps with what holds them, and the
 * plan. The real headless server, the real recorder over the stand-in for CUPTI, and the built window in a real Chromium.
 * Run by hand:
 *
 *   node bench/record-open.mjs [rows …] [--calls 3] [--profile FOLDER]
 *
 * Without numbers the program leaves 100,000 rows. It writes the time of its end to a file, as the last thing that it does.
 * --profile writes V8's CPU profile of the window in the last call.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { load, profileOf, withBrowser, withServer } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'string', default: '3' }, profile: { type: 'string' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [100_000];
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));

/** Rows per step of the player: five calls, the stacks of two, a copy, three kernels, and the range around them. */
const rowsOfStep = 12;

const shown = {
  lanes: '[data-testid="timeline-plot"]',
  'what holds the step': '[aria-label="Where the step time goes"] td',
  plan: '[aria-label="Remedies"]',
};

/** Runs in the page: when each first appears, by the wall clock. */
function watchWindow(selectors) {
  const marks = {};
  globalThis.marks = marks;
  const look = () => {
    for (const [name, selector] of Object.entries(selectors)) {
      if (marks[name] === undefined && document.querySelector(selector) !== null) {
        marks[name] = performance.timeOrigin + performance.now();
      }
    }
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

async function measure(rows, profileFolder) {
  const { buildRecorder, player, standInEnvironment } = await load('test/support/recorder.ts');
  const built = buildRecorder();
  const folder = mkdtempSync(join(work, 'data-'));
  const endFile = join(folder, 'ended');
  const steps = Math.round(rows / rowsOfStep);
  const program = `sh -c '${player(built)} 1 ${steps} > /dev/null; date +%s%N > ${endFile}'`;
  const timed = (address) =>
    withBrowser([], async (page) => {
      await page.goto(address);
      await page.getByRole('main').getByRole('button', { name: 'Record a program' }).click();
      await page.getByRole('textbox', { name: 'Command' }).fill(program);
      await page.getByRole('textbox', { name: 'Folder' }).fill('/');
      await page.evaluate(watchWindow, shown);
      const stop = profileFolder === null ? null : await profileOf(page);
      await page.getByRole('button', { name: 'Record', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
      const names = Object.keys(shown);
      await page.waitForFunction((all) => all.every((name) => globalThis.marks[name] !== undefined), names, {
        timeout: 120_000,
      });
      await stop?.(join(profileFolder, `record-open-${rows}.cpuprofile`));
      const marks = await page.evaluate(() => globalThis.marks);
      const endMs = Number(readFileSync(endFile, 'utf8')) / 1e6;
      return names.map((name) => `${name} ${Math.round(marks[name] - endMs)}`);
    });
  return withServer(folder, timed, standInEnvironment(built));
}

await ensureBuilt(['renderer', 'host']);
try {
  for (const rows of sizes) {
    const calls = Number(options.calls);
    console.log(`${rows.toLocaleString('en')} rows, milliseconds from the program's end:`);
    for (let call = 0; call < calls; call += 1) {
      const folder = call === calls - 1 ? (options.profile ?? null) : null;
      console.log(`  ${(await measure(rows, folder)).join('; ')}`);
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
