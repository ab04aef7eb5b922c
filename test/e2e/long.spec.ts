/** Long experiments open, can be edited, and are predicted in the background, with progress in the window. */
import type { Page } from '@playwright/test';
import { longExperiment } from '../support/longExperiment.ts';
import { expect, test } from './support/test.ts';

/** Returns the makespan of the lanes. */
const end = (page: Page): Promise<string | null> => page.getByTestId('timeline-plot').getAttribute('data-makespan-ns');

test('20,000 operations are opened, edited and taken back, and the lanes follow each time', async ({
  window,
  page,
  server,
}) => {
  server.addExperiment('long', longExperiment(20_000));
  await page.reload();
  await window.open('20000 operations');
  const [sheet, plot] = [page.getByTestId('score-sheet'), page.getByTestId('timeline-plot')];
  await expect(sheet).toHaveAttribute('data-operations', '20000');
  await expect(plot).toBeVisible();
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  const first = await end(page);

  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('+');
  await expect(sheet.locator('[data-op="0"]')).not.toHaveText('work 5.00 µs');
  await expect.poll(() => end(page)).not.toBe(first);
  const longer = await end(page);
  expect(Number(longer)).toBeGreaterThan(Number(first));

  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '20001');
  await expect.poll(() => end(page)).not.toBe(longer);
  expect(Number(await end(page))).toBeGreaterThan(Number(longer));

  for (const [operations, lanes] of [
    ['20000', longer],
    ['20000', first],
  ] as const) {
    await page.keyboard.press('Control+z');
    await expect(sheet).toHaveAttribute('data-operations', operations);
    await expect.poll(() => end(page)).toBe(lanes);
  }
  await expect(sheet.locator('[data-op="0"]')).toContainText('work 5.00 µs');
  // The later results of the other workers have arrived too.
  await expect(window.status).toContainText('Makespan');
  await expect(window.status).toContainText('Hazards');
});
