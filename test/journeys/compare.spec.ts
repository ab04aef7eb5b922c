/** Two runs on one time scale. */
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

async function openRecorded(window: Window, name: string): Promise<void> {
  const recorded = window.runs.filter({ hasText: 'Recorded' }).filter({ hasText: name });
  await recorded.first().getByRole('button').first().click();
  await expect(window.status).toContainText('recorded on');
}

test('a recorded run is compared with its prediction on one time scale', async ({ window, page }) => {
  await openRecorded(window, 'Pinned source, second stream');
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('button', { name: 'Add the prediction' }).click();
  const runs = page.getByRole('list', { name: 'Runs compared' }).getByRole('article');
  await expect(runs).toHaveCount(2);
  await expect(runs.nth(0)).toContainText('Recorded');
  await expect(runs.nth(1)).toContainText('Simulated');
  await expect(runs.nth(1)).toContainText('with what recording costs');
  await expect(runs.nth(1)).toContainText(/\d µs, \d+ to \d+ µs \(90 %\)/);
  await expect(page.getByText(/^The recorded makespan lies within the predicted interval/)).toBeVisible();

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
  expect(endA - startA).toBeCloseTo(endB - startB, 3);

  await page.reload();
  await expect(runs).toHaveCount(2);
});
