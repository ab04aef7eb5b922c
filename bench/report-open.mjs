/**
 * How long a report takes to open from disk: a run of 100,000 rows, in a real Chromium without a network. From the begin of
 * the load until the frame with the lanes is on screen; the page itself takes the time, as verdicts and charts follow. Run by hand: node bench/report-open.mjs [rows …] [--calls 5]
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../scripts/build.mjs';
import { inRoot } from '../scripts/lib/paths.mjs';
import { load, quantile, withBrowser } from './support/window.mjs';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { calls: { type: 'string', default: '5' } },
});
const sizes = positionals.length > 0 ? positionals.map(Number) : [100_000];
const lanes = '[data-testid="timeline-plot"][data-end-ns]:not([aria-busy="true"])';

await ensureBuilt(['renderer']);
const { runReport } = await load('core/present/make.ts');
const { reportPieces } = await load('core/present/page.ts');
const { syntheticRun } = await load('test/support/syntheticRun.ts');
const page = readFileSync(inRoot('dist/renderer/report.html'), 'utf8');
const work = mkdtempSync(join(tmpdir(), 'copyscope-bench-'));
try {
  for (const rows of sizes) {
    const file = join(work, `${rows}.html`);
    const reported = { run: syntheticRun(rows), origin: 'recorded', profile: null, replayWith: null };
    const made = runReport([reported], { createdAt: new Date(0).toISOString(), copyscope: '1.0.0', withPaths: false });
    const parts = [];
    for await (const piece of reportPieces(page, made)) parts.push(piece);
    writeFileSync(file, Buffer.concat(parts));
    const times = [];
    for (let call = 0; call < Number(options.calls); call += 1) {
      times.push(
        await withBrowser([], async (tab) => {
          await tab.context().setOffline(true);
          await tab.addInitScript(noteShown, lanes);
          await tab.goto(pathToFileURL(file).href, { waitUntil: 'commit' });
          return (await tab.waitForFunction(() => globalThis.shownMs)).jsonValue();
        }),
      );
    }
    const [least, middle] = [Math.min(...times), quantile(times, 0.5)].map(Math.round);
    const megabytes = (statSync(file).size / 1e6).toFixed(1);
    console.log(`${rows.toLocaleString('en')} rows, ${megabytes} MB: ${middle} ms in the middle, ${least} at least`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** In the page: `shownMs`, once there is such an element and the frame after that has been drawn. */
function noteShown(selector) {
  const observer = new MutationObserver(() => {
    if (document.querySelector(selector) === null) return;
    observer.disconnect();
    // A frame's callbacks come before it is drawn, those of the next one after.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => {
        globalThis.shownMs = performance.now();
      }),
    );
  });
  observer.observe(document, { subtree: true, childList: true, attributes: true });
}
