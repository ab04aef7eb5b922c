/** Saves and copies drawings by keyboard: as a picture, as figures, to the clipboard, on paper, and as a report. */
import { readFileSync } from 'node:fs';
import type { Download, Page } from '@playwright/test';
import { partsOf } from '../unit/report/partsOf.ts';
import { expect, test } from './support/test.ts';

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
