/** Two runs on one time scale. */
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

async function openRecorded(window: Window, name: string): Promise<void> {
  const recorded = window.runs.filter({ hasText: 'Recorded' }).filter({ hasText: name });
  await recorded.first().getByRole('button').first().click();
  await expect(window.status).toContainText('recorded on');
}

test('a recorded run is compared with its prediction by operation, by lane and on one time scale', async ({
  window,
  page,
}) => {
  await openRecorded(window, 'Pinned source, second stream');
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await page.getByRole('menuitem', { name: 'Predicted against recorded' }).click();
  const runs = page.getByRole('list', { name: 'Runs compared' }).getByRole('article');
  await expect(runs).toHaveCount(2);
  await expect(runs.nth(0)).toContainText('Recorded');
  await expect(runs.nth(1)).toContainText('Simulated');
  await expect(runs.nth(1)).toContainText('with what recording costs');
  await expect(runs.nth(1)).toContainText(/\d µs, \d+ to \d+ µs \(90 %\)/);
  await expect(page.getByText(/^The recorded makespan lies within the predicted interval/)).toBeVisible();
  const table = page.getByRole('region', { name: 'Table of differences' });
  const copy = table.getByRole('row').filter({ hasText: 'H2D 20.0 MiB' });
  await expect(copy).toContainText(/within the spread|larger than the spread/);
  await page.getByRole('region', { name: 'Differences' }).getByText('Lanes', { exact: true }).click();
  await expect(table.getByRole('rowheader', { name: /^H2D engine/ })).toHaveCount(3);

  // Both runs are aligned at the end of the copy.
  await page.getByRole('combobox', { name: 'Align by' }).click();
  await page.getByRole('option', { name: '0 H2D 20.0 MiB' }).click();
  await page.getByRole('combobox', { name: 'Aligned where it' }).click();
  await page.getByRole('option', { name: 'ends' }).click();
  const shifts = async (): Promise<number[]> =>
    runs.evaluateAll((all) => all.map((one) => Number((one as HTMLElement).dataset['shiftNs'])));
  await expect.poll(async () => (await shifts()).filter((shift) => shift > 0).length).toBe(1);
  await expect(page.getByTestId('aligned-at')).toBeVisible();

  // Both are zoomed as one, each in its own time.
  const views = async (): Promise<number[][]> =>
    page
      .getByTestId('timeline-plot')
      .evaluateAll((plots) =>
        plots.map((plot) => ['startNs', 'endNs'].map((name) => Number((plot as HTMLElement).dataset[name]))),
      );
  await page.getByRole('heading', { level: 1 }).click();
  const before = await views();
  await page.keyboard.press('w');
  await expect.poll(views).not.toEqual(before);
  const [[startA = 0, endA = 0] = [], [startB = 0, endB = 0] = []] = await views();
  const [shiftA = 0, shiftB = 0] = await shifts();
  expect(endA - startA).toBeCloseTo(endB - startB, 3);
  expect(startA + shiftA).toBeCloseTo(startB + shiftB, 3);

  // The address contains the alignment, so that a reload restores it.
  await page.reload();
  await expect(runs).toHaveCount(2);
});
