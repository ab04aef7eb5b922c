/**
 * Makes the README's picture of the window, of a PyTorch trace that was recorded on an H200, in a real Chromium:
 *
 *   node bench/screenshot.mjs [FILE.png]
 *
 * pngquant makes the file small (apt-get install pngquant). Look at the picture before you commit it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureBuilt } from '../scripts/build.mjs';
import { inRoot } from '../scripts/lib/paths.mjs';
import { findProgram } from '../scripts/lib/system.mjs';
import { withBrowser, withServer } from './support/window.mjs';

const target = process.argv[2] ?? inRoot('docs/images/window.png');
const trace = inRoot('test/fixtures/pytorch-pairs/vision.pageable.json.gz');
const mostBytes = 250_000;

const pngquant = findProgram('pngquant');
if (pngquant === null) throw new Error('pngquant is not installed: apt-get install pngquant');
await ensureBuilt(['renderer', 'host']);
const folder = mkdtempSync(join(tmpdir(), 'copyscope-screenshot-'));
const taken = join(folder, 'taken.png');
try {
  await withServer(folder, (address) => withBrowser([], (page) => takePicture(page, address)));
  mkdirSync(dirname(target), { recursive: true });
  const { status } = spawnSync(pngquant, ['--speed', '1', '--strip', '--force', '--output', target, '256', taken], {
    stdio: 'inherit',
  });
  if (status !== 0) throw new Error(`pngquant ended with ${status}.`);
} finally {
  rmSync(folder, { recursive: true });
}
const { size } = statSync(target);
console.log(`${target}: ${size} bytes`);
if (size > mostBytes) throw new Error(`The picture has ${size} bytes, and at most ${mostBytes} are wanted.`);

async function takePicture(page, address) {
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  await page.goto(address);
  const library = page.getByLabel('Library', { exact: true });
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    library.getByRole('button', { name: /^Open a / }).click(),
  ]);
  await chooser.setFiles(trace);
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await plan.getByRole('region', { name: 'Chosen changes' }).getByText(/→/).waitFor();
  // Python's frames are deep: folded, they leave room for the lanes of the device.
  await page.getByRole('button', { name: /^Collapse host/ }).click();
  await library.getByRole('region', { name: 'Runs', exact: true }).scrollIntoViewIfNeeded();
  await page.mouse.move(0, 0);
  await page.getByTestId('timeline-plot').waitFor();
  await page.screenshot({ path: taken });
}
