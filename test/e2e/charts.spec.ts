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
