/** The four cases on one time scale. */
import { expect, test } from './support/test.ts';

test('runs all four and compares them: only one overlaps, and it is the fastest', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Compare four' }).click();
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await page.getByRole('button', { name: 'Run all four' }).click();
  const runs = page.getByRole('list', { name: 'Runs compared' }).getByRole('article');
  await expect(runs).toHaveCount(4);
  await expect(page.getByTestId('timeline-plot')).toHaveCount(4);

  const shares: Record<string, string> = {
    'Pageable source, same stream': '0 %',
    'Pageable source, second stream': '0 %',
    'Pinned source, same stream': '0 %',
    'Pinned source, second stream': '100 %',
  };
  for (const [name, share] of Object.entries(shares)) {
    const run = runs.and(page.getByRole('article', { name, exact: true }));
    await expect(run).toContainText(`${share} of kernel overlapped`);
    await expect(run).toContainText('Simulated');
  }
  // "1.23×" tells how much longer than the fastest a run took.
  await expect(runs.filter({ hasNotText: '×' })).toContainText('Pinned source, second stream');

  // One scale: every plot shows the same stretch of time, and keeps to it when it is zoomed.
  const spans = async (): Promise<string[]> =>
    page
      .getByTestId('timeline-plot')
      .evaluateAll((plots) => plots.map((plot) => (plot as HTMLElement).dataset['endNs'] ?? ''));
  const before = await spans();
  expect(new Set(before).size).toBe(1);
  await page.keyboard.press('w');
  await expect.poll(spans).not.toEqual(before);
  expect(new Set(await spans()).size).toBe(1);
});

test('recorded runs say so, with their machine, and can’t be deleted', async ({ window, page }) => {
  const recorded = window.runs.filter({ hasText: 'Recorded' });
  test.skip((await recorded.count()) === 0, 'no recorded runs are shipped in assets/runs yet');
  expect(await recorded.count()).toBeGreaterThanOrEqual(4);
  await recorded.first().getByRole('button').first().click();
  await expect(window.status).toContainText(/recorded on NVIDIA/);
  await expect(window.inspector).toContainText('Driver');
  await expect(recorded.first().getByRole('button', { name: /^More about/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Compare four' }).click();
  await expect(page.getByRole('list', { name: 'Runs compared' }).getByRole('article')).toHaveCount(4);
});
