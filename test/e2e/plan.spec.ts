/** Traces of real programs on a real host: a job's ranks as one run, and a prediction that another trace checks. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { drop } from './support/drop.ts';
import { expect, test } from './support/test.ts';

const fixtures = join(import.meta.dirname, '../fixtures');
const filesOf = (folder: string, ...names: readonly string[]) =>
  names.map((name) => [`${name}.json.gz`, readFileSync(join(fixtures, folder, `${name}.json.gz`))] as const);

test('dropped traces of two ranks become one run with the plan of the rank that the other waits for', async ({
  window: _window,
  page,
}) => {
  await drop(page, filesOf('ranks-h200', 'loader_rank.rank0', 'loader_rank.rank1'));
  await expect(page.getByRole('heading', { level: 1, name: 'loader_rank', exact: true })).toBeVisible();
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await expect(plan.getByText(/^The others wait most for rank 1/)).toBeVisible();
  await expect(plan.getByRole('table', { name: 'Ranks' }).getByRole('row')).toHaveCount(3);
  await expect(plan.getByText(/load in worker processes/).first()).toBeVisible();
});

test('a prediction that a later trace settles stands with the plan, also in another window', async ({
  window,
  page,
  context,
}) => {
  for (const [name, content] of filesOf('pytorch-pairs', 'vision.pinned', 'vision.pageable')) {
    await window.openFile(name, content);
    const title = name.replace('.json.gz', '');
    await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible();
  }
  await page.getByRole('button', { name: 'Compare this run' }).click();
  await page.getByRole('menuitem', { name: /another run/ }).click();
  await page
    .getByRole('dialog')
    .getByRole('checkbox', { name: /^vision\.pinned/ })
    .check();
  await page.keyboard.press('Escape');
  await expect(page.getByText(/^Made between A and B: pin\. .*the interval holds it\.$/)).toBeVisible();
  const other = await context.newPage();
  await other.goto(page.url().replace(/#.*/, ''));
  const listed = other.getByLabel('Library', { exact: true }).getByRole('region', { name: 'Runs' });
  await listed.getByRole('button', { name: /^vision\.pageable/ }).click();
  const settled = other.getByRole('region', { name: 'Settled predictions' });
  await expect(settled).toContainText('1 of 1 interval held.');
});
