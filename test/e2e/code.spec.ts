/** The experiment as a program: beside the score's JSON, with the lines of what is selected marked. */
import { seen } from './support/seen.ts';
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
  const copy = page.getByRole('button', { name: 'Copy the code' });
  const told = await seen(copy, /^Copied$/);
  await copy.click();
  await told();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain('import torch');

  await tools.getByText('Score', { exact: true }).click();
  await page.getByTestId('score-sheet').locator('[data-op="3"]').click();
  await tools.getByText('Code', { exact: true }).click();
  // The language is remembered.
  await expect(marked.filter({ hasText: 'multiply(product' })).toBeInViewport();
});

test('stands beside the score in a lesson too; a line selects its block, and a block its lines', async ({
  window: _window,
  page,
}) => {
  await page.evaluate(() => {
    location.hash = '#/lesson/first-overlap';
  });
  await expect(page.getByRole('region', { name: 'Lesson' })).toBeVisible();
  const tools = page.getByRole('toolbar', { name: 'Score tools' });
  const beside = tools.getByRole('button', { name: 'Code beside the score' });
  await beside.click();
  await expect(beside).toHaveAttribute('aria-pressed', 'true');
  const program = page.getByRole('region', { name: 'Program' });
  const sheet = page.getByTestId('score-sheet');
  await expect(sheet).toBeVisible();
  await page.getByText('PyTorch', { exact: true }).click();
  const line = program.locator('[data-op]').filter({ hasText: '.copy_(' }).first();
  await line.click();
  const op = await line.getAttribute('data-op');
  await expect(sheet.locator(`button[data-op="${op}"]`)).toHaveAttribute('aria-pressed', 'true');
  const other = sheet.locator('button[data-op]').last();
  await other.click();
  await expect(
    program.locator(`[data-op="${await other.getAttribute('data-op')}"][data-selected]`).first(),
  ).toBeVisible();
  // Both are there at the next visit, in the language that was chosen.
  await page.reload();
  await expect(program.locator('[data-op]').filter({ hasText: '.copy_(' }).first()).toBeVisible();
  await beside.click();
  await expect(program).toHaveCount(0);
});

test('marks what a remedy has changed, in both languages, until the remedy is undone', async ({ window, page }) => {
  await window.open('Pageable source, second stream');
  await page.getByRole('toolbar', { name: 'Score tools' }).getByText('Code', { exact: true }).click();
  const program = page.getByRole('region', { name: 'Program' });
  const remedied = program.locator('[data-remedied]');
  await expect(program).toContainText('cudaMemcpyAsync(');
  await expect(remedied).toHaveCount(0);
  await window.verdict
    .getByRole('button', { name: /^Apply in a copy: Pin "source"/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: /^Copy of / })).toBeVisible();
  // By keyboard too, and again in the other language.
  const changed = page.getByRole('button', { name: 'Changed by the remedy' });
  await changed.press('Enter');
  await expect(remedied.filter({ hasText: 'Remedy: pinned memory' })).toBeInViewport();
  await expect(remedied.filter({ hasText: 'cudaMallocHost(&source' })).toBeInViewport();
  await page.getByText('PyTorch', { exact: true }).click();
  await changed.click();
  await expect(remedied.filter({ hasText: 'pin_memory=True' })).toBeInViewport();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText(/^Undone: Remedy/);
  await expect(changed).toHaveCount(0);
  await expect(remedied).toHaveCount(0);
});

test('sources are links to where they can be read', async ({ page, window: _window }) => {
  await page.evaluate(() => {
    location.hash = '#/lesson/first-overlap';
  });
  await page.getByRole('navigation', { name: 'Steps' }).getByRole('button').nth(-2).click();
  const sources = page.getByRole('region', { name: 'Lesson' }).getByRole('link');
  await expect(sources.filter({ hasText: 'PyTorch tutorials' })).toHaveAttribute(
    'href',
    /^https:\/\/docs\.pytorch\.org\/tutorials\//,
  );
});
