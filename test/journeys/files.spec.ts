/** Files are exported from the window and opened again. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Download, Page } from '@playwright/test';
import { decodeRun } from '../../core/trace/arrow.ts';
import { drop } from '../e2e/support/drop.ts';
import { seen } from '../e2e/support/seen.ts';
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';
import { read } from '../unit/import/support.ts';
import { partsOf } from '../unit/report/partsOf.ts';

const root = join(import.meta.dirname, '../..');
const name = 'trace_streamed1_pinned1';
const trace = readFileSync(join(root, `test/fixtures/pytorch-traces/${name}.json`));

async function openTrace(window: Window): Promise<void> {
  await window.openFile(`${name}.json`, trace);
  await expect(window.page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

const content = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

async function palette(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search commands').fill(words);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

test('an imported trace is exported as PyTorch’s profiler would have written it', async ({ window, page }) => {
  await openTrace(window);
  const more = window.library.getByRole('button', { name: `More about ${name}` });
  await more.focus();
  await more.press('Enter');
  const item = page.getByRole('menuitem', { name: 'Export as a PyTorch profiler trace' });
  await expect(item).toBeVisible();
  await item.focus();
  const download = await downloaded(page, () => page.keyboard.press('Enter'));
  expect(download.suggestedFilename()).toBe(`${name}.pt.trace.json`);
  const again = await read(new Uint8Array(await content(download)));
  const before = await read(new Uint8Array(trace));
  expect(again.trace.columns.startNs).toEqual(before.trace.columns.startNs);
  expect(again.trace.columns.bytes).toEqual(before.trace.columns.bytes);
});

test('a report is made from the palette, and opens as a page of its own', async ({ window, page, context }, info) => {
  await openTrace(window);
  const download = await downloaded(page, () => palette(page, 'Report of what is shown'));
  expect(download.suggestedFilename()).toBe(`${name}.html`);
  const path = info.outputPath('report.html');
  await download.saveAs(path);
  const { document, runs } = partsOf(readFileSync(path, 'utf8'));
  expect(document).toMatchObject({ title: name, withPaths: false });
  expect(decodeRun(runs[0] ?? new Uint8Array()).trace.count).toBeGreaterThan(10);
  const reader = await context.newPage();
  await reader.goto(pathToFileURL(path).href);
  await expect(reader.getByTestId('timeline-plot')).toHaveAttribute('data-end-ns', /\d/);
  await reader.close();
});

test('a bundle of the whole library is exported and imported again, and half of one is refused', async ({
  window,
  page,
  server,
}) => {
  const text = readFileSync(join(root, 'assets/examples/overlap/pinned-side-stream.json'), 'utf8');
  for (const name of ['alpha', 'beta', 'gamma'])
    server.addExperiment(name, JSON.stringify({ ...JSON.parse(text), name }));
  await page.reload();
  await window.ready();
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await window.library.getByRole('button', { name: 'Select several' }).click();
  const bar = window.library.getByRole('region', { name: 'Selection' });
  await bar.getByRole('button', { name: 'All' }).click();
  await expect(bar).toContainText('4 selected');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    bar.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('copyscope-library.copyscope');
  const bundle = readFileSync(await download.path());
  await bar.getByRole('button', { name: 'Done' }).click();

  // Files that are still being read are there too.
  const count = () => Object.keys(server.files()).filter((path) => !path.includes('/incoming/')).length;
  const before = count();
  const told = await seen(page.locator('body'), /3 experiments and (1|one) run/, '[role="alert"]');
  await drop(page, [['mine.copyscope', bundle]]);
  await told();
  await expect(window.library.getByRole('region', { name: 'Experiments' }).getByRole('listitem')).toHaveCount(6);
  await expect.poll(count).toBe(before + 4);

  await drop(page, [['cut.copyscope', bundle.subarray(0, bundle.length - 100)]]);
  await expect(window.alerts.filter({ hasText: 'cut.copyscope could not be opened' })).toContainText('breaks off');
  await expect.poll(count).toBe(before + 4);
});
