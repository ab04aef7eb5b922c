/** Lanes of a job with two processes and two GPUs: filtered by text and arranged by groups, from visit to visit. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { looksRight } from './support/looks.ts';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const file = join(import.meta.dirname, '../fixtures/nsight/h100_2gpu_1s.sqlite.br');

async function openJob(window: Window): Promise<void> {
  await window.openFile('job.sqlite', brotliDecompressSync(readFileSync(file)));
  await expect(window.page.getByRole('heading', { level: 1, name: 'job' })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

test('a text leaves only the lanes that have it, also after a reload', async ({ window }) => {
  const { page, timeline } = window;
  await openJob(window);
  const all = await window.lanes();
  expect(all.length).toBeGreaterThan(8);
  await timeline.getByRole('button', { name: 'Filter lanes' }).focus();
  await page.keyboard.press('Enter');
  const field = page.getByRole('textbox', { name: 'Lanes with' });
  await expect(field).toBeFocused();
  await page.keyboard.type('gpu1 compute');
  await expect(timeline.locator('[data-lane-name]')).toHaveText(['gpu1 Compute']);
  await expect(page.getByRole('status').filter({ hasText: `1 of ${all.length} lanes` })).toBeVisible();
  await looksRight(page);
  // By the name of a kernel: where it ran, and its engine.
  await field.fill('vectorized_gather');
  await expect(timeline.locator('[data-lane-name]')).toHaveCount(4);
  await field.fill('no such thing');
  await expect(page.getByText('No lane has this text.')).toBeVisible();
  await field.fill('gpu1');
  await page.keyboard.press('Escape');
  await expect(timeline.getByRole('button', { name: /^Filter lanes: \d+ of \d+ shown$/ })).toBeFocused();
  const left = await window.lanes();
  expect(left.every((name) => name.includes('gpu1'))).toBe(true);
  await page.reload();
  await expect(timeline.locator('[data-lane-name]')).toHaveText(left);
  await expect(timeline.getByText(`lanes have “gpu1”`)).toBeVisible();
  await timeline.getByRole('button', { name: 'Show all lanes' }).click();
  await expect(timeline.locator('[data-lane-name]')).toHaveText(all);
});

test('by keyboard: a group is hidden and pinned as one', async ({ window }) => {
  const { page, timeline } = window;
  await openJob(window);
  const all = await window.lanes();
  const engine = timeline.getByRole('button', { name: /^gpu1 H2D engine/ });
  await engine.focus();
  await page.keyboard.press('Shift+P');
  await expect(timeline.getByRole('list', { name: 'Pinned lanes' }).getByRole('listitem')).toHaveCount(3);
  await expect(engine).toBeFocused();
  await page.keyboard.press('Shift+P');
  await expect(timeline.getByRole('list', { name: 'Pinned lanes' })).toHaveCount(0);
  await engine.focus();
  await page.keyboard.press('Shift+H');
  const left = all.filter((name) => !/^gpu1 (H2D engine|D2H engine|Compute)$/.test(name));
  await expect(timeline.locator('[data-lane-name]')).toHaveText(left);
  await page.reload();
  await expect(timeline.locator('[data-lane-name]')).toHaveText(left);
  await timeline.getByRole('button', { name: 'Lanes, 3 hidden' }).click();
  await page.getByRole('menuitem', { name: 'Show all 3' }).click();
  await page.keyboard.press('Escape');
  await expect(timeline.locator('[data-lane-name]')).toHaveText(all);
});
