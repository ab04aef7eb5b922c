/** Ways of the keyboard: the whole window by F6, all that has a name by Ctrl+K, a program in a few keys. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { expect, test } from './support/test.ts';

const areas = [
  ...['Library', 'Build', 'Plan', 'Score tools', 'Score', 'Comparison', 'Differences'],
  ...['Timeline', 'Inspector', 'Status'],
];

/** The innermost part of the window that has the focus. */
const focusedArea = (page: Page): Promise<string> =>
  page.evaluate((names) => {
    for (let element = document.activeElement; element !== null; element = element.parentElement) {
      const name = element.getAttribute('aria-label') ?? '';
      if (element === document.querySelector('header')) return 'header';
      if (names.includes(name)) return name;
    }
    return '';
  }, areas);

/** Parts of the window in the order of F6, until one comes again. */
async function areasByF6(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (let press = 0; press < 20; press += 1) {
    await page.keyboard.press('F6');
    const area = await focusedArea(page);
    if (found.includes(area)) return found;
    found.push(area);
  }
  return found;
}

test('F6 goes through every panel, the Build panel and the score too', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  expect(await areasByF6(page)).toEqual([
    'Score tools',
    'Score',
    'Timeline',
    'Inspector',
    'Status',
    'header',
    'Library',
  ]);
  await page.getByText('Build', { exact: true }).click();
  await expect(page.getByRole('region', { name: 'Build' })).toBeVisible();
  await page.getByRole('textbox', { name: 'Search operations' }).focus();
  expect((await areasByF6(page)).at(-1)).toBe('Build');
  // Into the score it leads to the cursor's cell, where its keys begin.
  for (let press = 0; press < 8 && (await focusedArea(page)) !== 'Score'; press += 1) await page.keyboard.press('F6');
  await expect(page.locator('[data-cursor]')).toBeFocused();
});

test('F6 goes on from where it was when what had the focus is gone', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  for (let press = 0; press < 8 && (await focusedArea(page)) !== 'Timeline'; press += 1)
    await page.keyboard.press('F6');
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur());
  await page.keyboard.press('F6');
  expect(await focusedArea(page)).toBe('Inspector');
  // And from what was clicked.
  await window.status.click({ position: { x: 2, y: 2 } });
  await page.keyboard.press('F6');
  expect(await focusedArea(page)).toBe('header');
});

test('F6 goes through the panels of a comparison and of a trace', async ({ window, page }) => {
  await page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true }).click();
  const differences = page.getByRole('region', { name: 'Table of differences' });
  await expect(differences.getByRole('row').nth(1)).toBeVisible();
  await window.library.getByRole('textbox', { name: 'Search the library' }).focus();
  expect(await areasByF6(page)).toEqual(['Comparison', 'Differences', 'Status', 'header', 'Library']);
  const file = 'vision.pageable.json.gz';
  const trace = readFileSync(join(import.meta.dirname, '../fixtures/pytorch-pairs', file));
  await window.openFile(file, trace);
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await expect(page.getByRole('list', { name: 'Remedies' })).toBeVisible();
  await window.library.getByRole('textbox', { name: 'Search the library' }).focus();
  expect(await areasByF6(page)).toEqual(['Plan', 'Timeline', 'Inspector', 'Status', 'header', 'Library']);
});

test('a copy in a side stream, kernel, event and second kernel take at most 25 keys', async ({ window, page }) => {
  let keys = 0;
  const press = async (key: string): Promise<void> => {
    keys += 1;
    await page.keyboard.press(key);
  };
  const sheet = page.getByTestId('score-sheet');
  await press('Alt+n');
  await expect(page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
  await expect(page.locator('[data-cursor]')).toBeFocused();
  const lines = [
    'copy 64 MB pinned in side',
    'kernel 200 us in default',
    'event copied in side',
    'wait copied in default',
    'kernel 300 us in default',
  ];
  for (const [number, line] of lines.entries()) {
    await press('a');
    await expect(page.getByRole('textbox', { name: 'Add an operation or a template' })).toBeFocused();
    await page.keyboard.type(line);
    await press('Enter');
    await expect(sheet).toHaveAttribute('data-operations', String(number + 1));
    await expect(page.locator(':focus')).toHaveAttribute('data-op', String(number));
  }
  await press('Control+s');
  // It had no name of its own.
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('H2D 64 MB pinned, 2 kernels, 2 streams');
  expect(keys).toBeLessThanOrEqual(25);

  await expect(sheet.getByRole('listitem')).toHaveCount(5);
  await expect(sheet.locator('[data-op="0"]')).toContainText('H2D 64 MB');
  await page.getByText('Build', { exact: true }).click();
  const list = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('listitem');
  await expect(list('Buffers')).toHaveText([/source.*64 MB/, /target.*64 MB/]);
  await expect(list('Streams')).toHaveText([/side/]);
  await expect(list('Events')).toHaveText([/copied/]);
  await expect(window.status).toContainText(/makespan/i);
});
