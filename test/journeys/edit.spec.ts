/** An experiment is edited, saved and found again. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { dragDown } from '../e2e/support/drag.ts';
import { expect, test } from '../e2e/support/test.ts';

test('a copy that is dragged into the kernel’s stream moves in score and lanes, and no longer overlaps', async ({
  window,
  page,
}) => {
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  const block = (op: number) => page.getByTestId('score-sheet').locator(`[data-op="${op}"]`);
  const [copy, kernel] = [await block(0).boundingBox(), await block(3).boundingBox()];
  if (copy === null || kernel === null) throw new Error('the blocks are not on screen');
  await dragDown(page, block(0), kernel.y - copy.y);
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Pinned source, second stream' })).toBeVisible();
  await expect(window.status).toContainText('H2D with kernel 0 % of kernel');
  await expect(window.verdict).toContainText('Same stream');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
});

test('an edited example is saved as a copy, which a reloaded window finds', async ({ window, page, server }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="3"]').click();
  await page.keyboard.press('Control+d');
  const copy = 'Copy of Pinned source, second stream';
  await expect(page.getByRole('heading', { level: 1, name: copy })).toBeVisible();
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.keyboard.press('Control+z');
  await expect(sheet).toHaveAttribute('data-operations', '7');
  await sheet.locator('[data-op="3"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved')).toBeHidden();
  const folder = join(server.dataFolder, 'experiments');
  const [file = ''] = readdirSync(folder);
  expect(requireExperiment(readFileSync(join(folder, file), 'utf8')).threads[0]?.operations).toHaveLength(8);
  await page.goto('about:blank');
  await page.goto(await server.address());
  await window.ready();
  await window.library.getByRole('button', { name: copy }).first().click();
  await expect(sheet).toHaveAttribute('data-operations', '8');
});
