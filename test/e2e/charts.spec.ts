/** Charts: drawn, read as a table, walked by keyboard, and saved with where their numbers come from. */
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const simulated = /^Simulated: NVIDIA H200/;

async function openCharts(window: Window): Promise<void> {
  await window.open('Pinned source, second stream');
  await window.pickEngine(simulated);
  await window.run();
  await window.timeline.getByText('Charts', { exact: true }).click();
  await expect(window.timeline.getByTestId('chart').first().locator('svg')).toBeVisible();
}

test('a run has charts of its engines, its device and its host threads, which say that they are simulated', async ({
  window,
}) => {
  await openCharts(window);
  for (const title of [
    'Engine use',
    'Bandwidth of the copy engines',
    'Time of the device',
    'Time of the host threads',
  ]) {
    const chart = window.timeline.getByRole('figure', { name: `${title}, simulated` });
    await expect(chart.getByTestId('chart').locator('svg text').first()).toBeVisible();
    await expect(chart).toContainText('Simulated on NVIDIA H200');
    // The legend says it too.
    await expect(chart.getByTestId('chart').locator('svg')).toContainText(', simulated');
  }
  await expect(window.timeline.getByRole('figure', { name: /^Engine use/ })).toContainText('Compute');
});

test('a key that comes before the chart is drawn shows its point once it is', async ({ window: _window, page }) => {
  await page.evaluate(() => {
    new MutationObserver((_changes, observer) => {
      const chart = document.querySelector('section[aria-label="Strategies"] [data-testid="chart"]');
      if (chart === null) return;
      observer.disconnect();
      chart.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true }));
    }).observe(document.body, { childList: true, subtree: true });
  });
  await page.getByRole('button', { name: 'Charts', exact: true }).click();
  const chart = page.getByRole('region', { name: 'Strategies' }).getByTestId('chart');
  await expect(chart.locator('svg')).toBeVisible();
  // The words beside a point are the only HTML in the chart.
  await expect(chart.locator('div', { hasText: /Makespan.*ms/ }).last()).toBeVisible();
});

test('strategies stand beside one another, open their run by mouse and keyboard, and can be read as a table', async ({
  window,
  page,
}) => {
  await page.getByRole('button', { name: 'Charts', exact: true }).click();
  const strategies = page.getByRole('region', { name: 'Strategies' });
  const chart = strategies.getByRole('figure', { name: 'Makespan by strategy, recorded' });
  await expect(chart.getByTestId('chart')).toHaveAttribute('data-points', '4');
  await expect(chart.getByTestId('chart').locator('svg')).toContainText('Pinned source, second stream');

  await strategies.getByText('Table', { exact: true }).click();
  await expect(chart.getByRole('columnheader')).toHaveText([
    'Strategy',
    'Makespan',
    'Least',
    'Most',
    'Iterations',
    'Origin',
    'Run',
  ]);
  await expect(chart.getByRole('row')).toHaveCount(5);
  await chart.getByRole('button', { name: 'Open Pinned source, second stream' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  await expect(window.status).toContainText('recorded on');

  await page.goBack();
  await chart.getByTestId('chart').focus();
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
});

test('a benchmark’s bandwidths are drawn with the link’s limit; another file is refused with the field', async ({
  window: _window,
  page,
}) => {
  await page.getByRole('button', { name: 'Charts', exact: true }).click();
  const bandwidth = page.getByRole('region', { name: 'Bandwidth' });
  await expect(bandwidth.getByTestId('chart').locator('svg')).toContainText('limit of the PCIe link');
});
