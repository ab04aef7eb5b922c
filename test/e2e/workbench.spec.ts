/** Working with a real trace: its names, its search, links to it, its comparison; and a sweep over names. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

async function openTrace(window: Window, name: string): Promise<void> {
  const file = `${name}.json.gz`;
  await window.openFile(file, readFileSync(join(import.meta.dirname, '../fixtures/pytorch-pairs', file)));
  await expect(window.page.getByRole('heading', { level: 1, name })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
}

test('a recording that ships and was opened too is offered once, above what ships', async ({ window, page }) => {
  await openTrace(window, 'vision.pageable');
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await page.getByRole('menuitem', { name: /another run/ }).click();
  const choices = page.getByRole('dialog').getByRole('checkbox');
  await expect(choices.first()).toHaveAccessibleName(/vision\.pageable/);
  await expect(page.getByRole('dialog').getByRole('checkbox', { name: /vision\.pageable/ })).toHaveCount(1);
});

test('two sweeps stand in one chart, each line with the name of its own', async ({ window, page }) => {
  const progress = page.getByRole('region', { name: 'Progress of the sweep' });
  for (const program of ['Pageable source, second stream', 'Pinned source, second stream']) {
    await window.library.getByRole('button', { name: 'New sweep' }).click();
    await page.getByLabel('Program').selectOption({ label: program });
    await window.pickEngine(/^Simulated: NVIDIA H200/);
    await page.getByRole('button', { name: 'Run 5 points' }).click();
    await expect(page.getByRole('heading', { level: 1, name: `Sweep of ${program}` })).toBeVisible();
    await expect(progress).toContainText('complete');
  }
  await page.getByRole('combobox', { name: 'Beside it' }).click();
  await page.getByRole('option', { name: /^Sweep of Pageable source/ }).click();
  const svg = page.getByTestId('chart').locator('svg');
  await expect(svg).toContainText('Sweep of Pageable source, second stream');
  await expect(svg).toContainText('Sweep of Pinned source, second stream');
});
