/** The experiment as a program: beside the score's JSON, with the lines of what is selected marked. */
import { expect, test } from './support/test.ts';

test('the code follows the selection and is copied at a click', async ({ window, page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await window.open('Pinned source, second stream');
  const tools = page.getByRole('toolbar', { name: 'Score tools' });
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await tools.getByText('Code', { exact: true }).click();
  const program = page.getByRole('region', { name: 'Program' });
  const marked = program.locator('[data-selected]');
  await expect(marked.filter({ hasText: 'cudaMemcpyAsync(' })).toBeInViewport();

  await page.getByText('PyTorch', { exact: true }).click();
  await expect(marked.filter({ hasText: '.copy_(' })).toBeInViewport();
  await page.getByRole('button', { name: 'Copy the code' }).click();
  await expect(page.getByRole('button', { name: 'Copied', exact: true })).toBeVisible();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain('import torch');

  await tools.getByText('Score', { exact: true }).click();
  await page.getByTestId('score-sheet').locator('[data-op="3"]').click();
  await tools.getByText('Code', { exact: true }).click();
  await expect(marked.filter({ hasText: 'multiply<<<' })).toBeInViewport();
});
