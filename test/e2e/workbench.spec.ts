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

test('a name of the table marks all its instances in the lanes, and so does the search', async ({ window, page }) => {
  await openTrace(window, 'vision.pageable');
  const plot = window.timeline.getByTestId('timeline-plot');
  await window.show('Table');
  await window.timeline.getByText('By name', { exact: true }).click();
  const table = window.timeline.getByRole('table');
  await window.timeline.getByLabel('Filter the table by text').fill('memcpy htod');
  await expect(table.getByRole('row')).toHaveCount(2);
  await table.getByRole('row').nth(1).click();
  await expect(plot).toHaveAttribute('data-found', '12');
  await expect(window.timeline.getByRole('status', { name: '12 matches' })).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.press('Escape');
  await expect(plot).not.toHaveAttribute('data-found');
});

test('a column is resized, and every column can be reached', async ({ window, page }) => {
  await openTrace(window, 'vision.pageable');
  await window.show('Table');
  const heading = window.timeline.getByRole('columnheader', { name: 'Kind' });
  const width = async () => Math.round((await heading.boundingBox())?.width ?? 0);
  const before = await width();
  await heading.getByRole('button').focus();
  await page.keyboard.press('Shift+ArrowRight');
  await expect.poll(width).toBe(before + 16);
  const last = window.timeline.getByRole('columnheader', { name: 'Rate' });
  await last.scrollIntoViewIfNeeded();
  await expect(last).toBeInViewport();
});

test('a link carries zoom and selection', async ({ window, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openTrace(window, 'vision.pageable');
  const plot = window.timeline.getByTestId('timeline-plot');
  await plot.click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('.');
  await page.keyboard.press('f');
  await expect.poll(() => plot.getAttribute('data-start-ns')).not.toBeNull();
  await window.timeline.getByRole('button', { name: 'Copy a link to this view' }).click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toMatch(/#\/run\/.+\?at=-?\d+,\d+&row=\d+$/);
  const start = /at=(-?\d+),/.exec(link)?.[1];
  const selected = await window.inspector.innerText();
  await page.keyboard.press('Escape');
  await page.goto('about:blank');
  await page.goto(link);
  await expect.poll(async () => Math.round(Number(await plot.getAttribute('data-start-ns')))).toBe(Number(start));
  await expect(window.inspector).toContainText(selected.split('\n')[1] ?? '');
});

test('a pinned and a pageable trace: one line for their copy, aligned by step, and no prediction is offered', async ({
  window,
  page,
}) => {
  await openTrace(window, 'vision.pinned');
  await openTrace(window, 'vision.pageable');
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await expect(page.getByRole('menuitem', { name: /^Predicted/ })).toHaveCount(0);
  await page.getByRole('menuitem', { name: /another run/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('checkbox', { name: /^vision\.pinned/ })
    .first()
    .check();
  await page.keyboard.press('Escape');
  const table = page.getByRole('region', { name: 'Table of differences' });
  await expect(table.getByRole('row').nth(1)).toContainText('H2D 28.1 MiB, pageable and pinned');
  await expect(page.getByRole('combobox', { name: 'Align by' })).toHaveValue('start of step 1');
  for (const run of await page.getByRole('list', { name: 'Runs compared' }).getByRole('article').all()) {
    await expect(run.getByText('Compute', { exact: true })).toBeInViewport();
  }
});

test('pinned against pageable over size is one sweep and one chart', async ({ window, page }) => {
  await window.library.getByRole('button', { name: 'New sweep' }).click();
  await page.getByLabel('Program').selectOption({ label: 'Pinned source, second stream' });
  const first = page.getByRole('group', { name: 'First axis' });
  await expect(first.getByRole('combobox', { name: 'What varies' })).toHaveValue(/^Size of source/);
  await expect(first).toContainText('Size of target');
  await page.getByRole('button', { name: 'Vary something else too' }).click();
  await expect(page.getByRole('group', { name: 'Second axis' })).toContainText('2 values: pageable, pinned');
  const [engine, iterations] = await Promise.all([
    window.engine.boundingBox(),
    page.getByLabel('Iterations of each point').boundingBox(),
  ]);
  expect((engine?.x ?? 0) + (engine?.width ?? 0)).toBeLessThan(iterations?.x ?? 0);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await page.getByRole('button', { name: 'Run 10 points' }).click();
  await expect(page.getByRole('region', { name: 'Progress of the sweep' })).toContainText('complete');
  await page.getByLabel('Metric').selectOption('H2D rate of the program');
  const svg = page.getByTestId('chart').locator('svg');
  await expect(svg).toContainText('Memory of source pageable, simulated');
  await expect(svg).toContainText('Memory of source pinned, copy engine, simulated');
  await expect(svg).toContainText('limit of the PCIe link');
});
