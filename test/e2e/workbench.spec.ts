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
  // The browser keeps what was copied before.
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await window.timeline.getByRole('button', { name: 'Copy a link to this view' }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/#\/run\/.+\?at=-?\d+,\d+&row=\d+$/);
  const link = await copied();
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

test('what the devices of a trace did is in sight above its deep stacks of calls', async ({ window, page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await openTrace(window, 'vision.pageable');
  for (const name of ['7', 'H2D engine']) {
    await expect(window.timeline.getByText(name, { exact: true }).first()).toBeInViewport();
  }
  expect((await window.lanes()).at(-1)).toMatch(/^thread /);
});

test('a recording that ships and was opened too is offered once, above what ships', async ({ window, page }) => {
  await openTrace(window, 'vision.pageable');
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await page.getByRole('menuitem', { name: /another run/ }).click();
  const choices = page.getByRole('dialog').getByRole('checkbox');
  await expect(choices.first()).toHaveAccessibleName(/vision\.pageable/);
  await expect(page.getByRole('dialog').getByRole('checkbox', { name: /vision\.pageable/ })).toHaveCount(1);
});

test('paper has what holds the step of a trace and what to change, with the code', async ({ window, page }) => {
  await openTrace(window, 'vision.pageable');
  await expect(page.getByRole('region', { name: 'Chosen changes' }).getByText(/→/)).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const plan = page.getByTestId('paper').getByRole('region', { name: 'Step and plan' });
  await expect(plan.getByRole('heading', { name: 'What to change' })).toBeVisible();
  await expect(plan.locator('pre').first()).toBeVisible();
});

test('bars of the inspector begin at one edge, in cards too, and none is wider than its panel', async ({
  window,
  page,
}) => {
  const places = () =>
    window.inspector
      .locator('dd > [aria-hidden]')
      .evaluateAll((bars) => [...new Set(bars.map((bar) => Math.round(bar.getBoundingClientRect().left)))]);
  await page.setViewportSize({ width: 1280, height: 720 });
  await window.open('Pageable source, same stream');
  await expect(window.verdict).toContainText('Predicted gain');
  expect(await places()).toHaveLength(1);
  // The interval of a gain is on a line of its own, and not glued to the figure.
  const gain = window.verdict.locator('dd').filter({ hasText: '(90 %)' });
  const [figure, interval] = await Promise.all([gain.boundingBox(), gain.locator('small').boundingBox()]);
  expect(interval?.y).toBeGreaterThan((figure?.y ?? 0) + 10);
  await page.setViewportSize({ width: 780, height: 720 });
  const tooWide = () =>
    window.inspector
      .locator('dl > div')
      .evaluateAll((rows) => rows.filter((row) => row.scrollWidth > row.clientWidth + 1).length);
  await expect.poll(tooWide).toBe(0);
});

test('a copy whose target has no room is mended with one click', async ({ window, page }) => {
  await window.library.getByRole('button', { name: 'New experiment' }).click();
  await page.getByTestId('score-sheet').locator('[data-cursor]').focus();
  await page.keyboard.press('a');
  await page.getByRole('textbox', { name: 'Add an operation or a template' }).fill('copy 20 MiB pinned in side');
  await page.keyboard.press('Enter');
  await page.getByText('Build', { exact: true }).click();
  await page
    .getByRole('region', { name: 'Buffers', exact: true })
    .getByRole('button', { name: /source/ })
    .first()
    .click();
  const size = window.inspector.getByLabel('Size', { exact: true });
  await size.fill('64 MB');
  await size.press('Enter');
  const block = page.getByTestId('score-sheet').locator('[data-op="0"]');
  await expect(block).toContainText('only 20.0 MiB of 64 MB');
  await block.click();
  // With no kernel there is nothing that could have run together.
  await expect(window.inspector.getByRole('article')).not.toContainText('Ran together');
  await window.inspector.getByRole('button', { name: 'Make “target” as large' }).click();
  await expect(block).toContainText('H2D 64 MB');
  await expect(block).not.toContainText('only');
});

test('lanes are coloured by name, with the names in the legend, and stay so after a reload', async ({
  window,
  page,
}) => {
  await openTrace(window, 'vision.pageable');
  const legend = window.timeline.getByRole('list', { name: 'Legend' });
  const colours = () =>
    window.timeline
      .getByTestId('timeline-plot')
      .locator('canvas')
      .first()
      .evaluate((canvas) => (canvas as HTMLCanvasElement).toDataURL());
  await expect(legend).toContainText('H2D copy');
  const byKind = await colours();
  await window.timeline.getByRole('button', { name: 'Lanes', exact: true }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Colour by name' }).click();
  await expect(legend).toContainText('Memcpy HtoD (Pageable -> Device)');
  await expect(legend).not.toContainText('H2D copy');
  await expect.poll(colours).not.toBe(byKind);
  await page.reload();
  await expect(legend).toContainText('Memcpy HtoD (Pageable -> Device)');
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
