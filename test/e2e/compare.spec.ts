/** The four cases on one time scale. */
import { expect, test } from './support/test.ts';

test('runs all four and compares them: only one overlaps, and it is the fastest', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
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
  // A plot has a size some frames after it is there.
  await expect(page.locator('[data-testid="timeline-plot"][data-end-ns]')).toHaveCount(4);
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
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await expect(page.getByRole('list', { name: 'Runs compared' }).getByRole('article')).toHaveCount(4);
});

test('runs are chosen from a list, swapped signs and all, and the table is copied', async ({
  window,
  page,
  context,
}) => {
  await expect(window.library).toBeVisible();
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Compare', exact: true }).click();
  await page.getByRole('button', { name: 'Choose runs' }).click();
  const chooser = page.getByRole('dialog');
  await chooser.getByRole('textbox', { name: 'Search runs' }).fill('pageable second recorded');
  await chooser.getByRole('checkbox').first().check();
  await chooser.getByRole('textbox', { name: 'Search runs' }).fill('pinned second recorded');
  await chooser.getByRole('checkbox').first().check();
  // A third run must be simulated.
  await chooser.getByRole('textbox', { name: 'Search runs' }).fill('pinned same recorded');
  await expect(chooser.getByRole('checkbox').first()).toBeDisabled();
  await page.keyboard.press('Escape');
  const runs = page.getByRole('list', { name: 'Runs compared' }).getByRole('article');
  await expect(runs).toHaveCount(2);
  const table = page.getByRole('region', { name: 'Table of differences' });
  const copy = table.getByRole('row').filter({ hasText: 'H2D 20.0 MiB' });
  await expect(copy).toContainText(/−\d+/);
  await expect(copy).toContainText('larger than the spread');

  await table.getByRole('button', { name: 'Copy as TSV' }).click();
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(copied).toMatch(/^Operation\tNumber\tKind\tWhat\tA median/);
  expect(await copied()).toMatch(/^H2D 20\.0 MiB\t0\tcopy\tduration\t/m);

  // A row aligns the runs by its operation.
  await copy.getByRole('button').click();
  await expect(copy).toHaveAttribute('aria-current', 'true');
  await expect(page.getByRole('combobox', { name: 'Aligned where it' })).toHaveValue('starts');
  // Streams too, where all lanes are asked for.
  await expect(runs.first().getByRole('list', { name: 'Lanes' })).not.toContainText('side');
  await page.getByText('All lanes', { exact: true }).click();
  await expect(runs.first().getByRole('list', { name: 'Lanes', exact: true })).toContainText('side');
});

test('a long run that a link compares has its queues too, once they are there', async ({ window, page }) => {
  const kernel = { op: 'kernel', label: 'work', stream: 'side', kernel: { kind: 'spin', durationNs: 2000 } };
  const document = {
    ...{ format: 'copyscope/experiment', version: 1, name: 'Long', streams: [{ id: 'side' }] },
    threads: [{ id: 'main', operations: [{ op: 'repeat', count: 11_000, operations: [kernel] }] }],
  };
  await window.openFile('long.json', Buffer.from(JSON.stringify(document)));
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await window.runs.first().getByRole('button').first().click();
  await expect(page).toHaveURL(/#\/run\//);
  const link = page.url().replace('#/run/', '#/compare/');
  await page.goto('about:blank');
  await page.goto(link);
  await page.getByText('All lanes', { exact: true }).click();
  const lanes = page.getByRole('article', { name: 'Long' }).getByRole('list', { name: 'Lanes', exact: true });
  await expect(lanes).toContainText('side queue');
});

test('all four cases are in sight in a window of 1280 by 720', async ({ window: _window, page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.getByRole('banner').getByRole('button', { name: 'Compare', exact: true }).click();
  const cases = page.getByRole('article');
  await expect(cases).toHaveCount(4);
  for (const one of await cases.all()) await expect(one).toBeInViewport({ ratio: 0.98 });
  // So is the largest difference.
  const differences = page.getByRole('region', { name: 'Table of differences' }).getByRole('row');
  await expect(differences.nth(1)).toBeInViewport({ ratio: 0.9 });
});
