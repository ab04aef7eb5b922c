/** An experiment is run over the values of two fields. */
import type { Locator, Page } from '@playwright/test';
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

const simulated = /^Simulated: NVIDIA H200/;

/** Sets up 7 chunk sizes by 5 numbers of streams, in a tensor that is smaller than the largest chunk. */
async function setUp(window: Window, page: Page, tensor = '16 MiB'): Promise<void> {
  await window.library.getByRole('button', { name: 'New sweep' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'New sweep' })).toBeVisible();
  await page.getByLabel('Tensor size').fill(tensor);
  const chunks = page.getByRole('group', { name: 'First axis' });
  await expect(chunks.getByRole('combobox', { name: 'Varied field' })).toHaveValue(/^Chunk size/);
  await chunks.getByLabel('From').fill('512 KiB');
  await chunks.getByLabel('To', { exact: true }).fill('32 MiB');
  await chunks.getByLabel('Number of values').fill('7');
  await expect(chunks).toContainText('7 values: 512 KiB, 1 MiB, 2 MiB, 4 MiB, 8 MiB, 16 MiB, 32 MiB');
  await page.getByRole('group', { name: 'Second axis' }).getByLabel('Values', { exact: true }).fill('1, 2, 3, 4, 5');
  await window.pickEngine(simulated);
}

const points = (page: Page): Locator => page.getByRole('region', { name: 'Points' }).locator('tbody tr');
const progress = (page: Page): Locator => page.getByRole('region', { name: 'Progress of the sweep' });

test('a sweep over two fields runs, survives points that fail, and opens the run of a point', async ({
  window,
  page,
}) => {
  await setUp(window, page);
  await page.getByRole('button', { name: 'Run 35 points' }).click();
  await expect(progress(page)).toContainText('35 of 35 points, 5 failed', { timeout: 120_000 });
  await expect(progress(page)).toContainText('complete');

  // The table has every point, with its figure or its reason.
  await expect(points(page)).toHaveCount(35);
  await expect(points(page).nth(0)).toContainText(/^512 KiB1[\d.]+ (µs|ms)/);
  await expect(points(page).filter({ hasText: 'failed' })).toHaveCount(5);
  await expect(points(page).nth(34)).toHaveText(
    '32 MiB5✕ failed: a chunk of 32.0 MiB is larger than the tensor of 16.0 MiB.',
  );

  // The table opens a point's run, with its lanes, its streams and its own experiment.
  await page.getByRole('button', { name: 'Open the run of Chunk size 4 MiB, streams 3' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('chunk size 4 MiB, streams 3');
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  const streams = async () => (await window.lanes()).filter((lane) => /^lane\d$/.test(lane));
  await expect.poll(streams).toEqual(['lane1', 'lane2', 'lane3']);
  await expect(window.status).toContainText('simulated on');
});
