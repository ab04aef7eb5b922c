/** What is drawn goes out: as a picture, as figures, to the clipboard, on paper, and as a report of its own. By keyboard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, Page } from '@playwright/test';
import { partsOf } from '../unit/report/partsOf.ts';
import { expect, test } from './support/test.ts';

const name = 'trace_streamed1_pinned1';
const trace = readFileSync(join(import.meta.dirname, `../fixtures/pytorch-traces/${name}.json`));

async function downloaded(page: Page, act: () => Promise<void>): Promise<Download> {
  const [download] = await Promise.all([page.waitForEvent('download'), act()]);
  return download;
}

const content = async (download: Download): Promise<Buffer> => readFileSync(await download.path());

/** Opens a menu and takes an item of it, with keys alone. */
async function choose(page: Page, menu: string, item: string): Promise<void> {
  const button = page.getByRole('button', { name: menu });
  await button.focus();
  await button.press('Enter');
  const role = item.endsWith('pixels') ? 'menuitemradio' : 'menuitem';
  const entry = page.getByRole(role, { name: item, exact: true });
  await expect(entry).toBeVisible();
  await entry.focus();
  await page.keyboard.press('Enter');
}

async function palette(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.getByPlaceholder('Search commands').fill(words);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

test.describe('an imported trace', () => {
  test.beforeEach(async ({ window }) => {
    await window.openFile(`${name}.json`, trace);
    await expect(window.page.getByRole('heading', { level: 1, name })).toBeVisible();
    await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  });

  test('its lanes go to the clipboard', async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await choose(page, 'Save the lanes', 'Copy the picture');
    const types = () => page.evaluate(async () => (await navigator.clipboard.read()).flatMap((item) => item.types));
    await expect.poll(types).toContain('image/png');
    await choose(page, 'Save the lanes', 'Copy the figures (CSV)');
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('start_ns');
  });
});

test('a comparison has a report and a page on paper', async ({ window, page }) => {
  await palette(page, 'Compare runs');
  await expect(page.getByRole('list', { name: 'Runs compared' }).getByTestId('timeline-plot').first()).toBeVisible();
  const download = await downloaded(page, () => page.getByRole('button', { name: 'Report of A and B' }).press('Enter'));
  const { document, runs } = partsOf((await content(download)).toString());
  expect(runs).toHaveLength(2);
  expect(document.comparison?.makespan.differenceNs).not.toBeNull();
  await page.emulateMedia({ media: 'print' });
  await expect(page.getByTestId('paper').getByRole('region', { name: 'Differences' })).toBeVisible();
  await expect(window.timeline).toBeHidden();
});
