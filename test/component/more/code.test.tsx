/** The experiment as a program, with the lines of the selection marked. */
import { expect, it, vi } from 'vitest';
import type { Locator } from 'vitest/browser';
import { heading, openExample, openWorkbench, page, press, saved } from '../support/workbench.tsx';

const pinned = 'overlap/pinned-side-stream';
const program = () => page.getByRole('region', { name: 'Program' });
const marked = () => program().css('[data-selected]');

it('marks the lines of the selected operation in both languages, and remembers the language', async () => {
  const { block, tools } = await openExample(pinned);
  await block(0).click();
  await tools.getByText('Code', { exact: true }).click();
  await expect.element(marked().filter({ hasText: 'cudaMemcpyAsync(' })).toBeInViewport();
  await page.getByText('PyTorch', { exact: true }).click();
  await expect.element(marked().filter({ hasText: '.copy_(' })).toBeInViewport();
  await tools.getByText('Score', { exact: true }).click();
  await block(3).click();
  await tools.getByText('Code', { exact: true }).click();
  await expect.element(marked().filter({ hasText: 'multiply(product' })).toBeInViewport();
});

it('shows the code next to the score in a lesson; a line selects its block, and a block its lines', async () => {
  const { sheet, tools } = await openWorkbench({ page: { kind: 'lesson', id: 'first-overlap', step: 1 } });
  const beside = tools.getByRole('button', { name: 'Code next to the score' });
  await beside.click();
  await expect.element(beside).toHaveAttribute('aria-pressed', 'true');
  await page.getByText('PyTorch', { exact: true }).click();
  const line = program().css('[data-op]').filter({ hasText: '.copy_(' }).first();
  // The line's middle may be behind the inspector: a line is as long as its text.
  await line.click({ position: { x: 8, y: 6 } });
  const op = line.element().getAttribute('data-op');
  await expect.element(sheet.css(`button[data-op="${op}"]`)).toHaveAttribute('aria-pressed', 'true');
  const other = sheet.css('button[data-op]').last();
  await other.click();
  const lines = program().css(`[data-op="${other.element().getAttribute('data-op')}"][data-selected]`);
  await expect.element(lines.first()).toBeVisible();
  await beside.click();
  await expect.element(program()).not.toBeInTheDocument();
});

it('colours the code, and saves it as a file of its language', async () => {
  const { tools } = await openExample(pinned);
  await tools.getByText('Code', { exact: true }).click();
  await expect.element(program().css('.hljs-keyword').first()).toBeInTheDocument();
  await expect.element(program().css('.hljs-comment').first()).toBeInTheDocument();
  const files = saved();
  await page.getByText('PyTorch', { exact: true }).click();
  await page.getByRole('button', { name: 'Save the code' }).click();
  await expect.poll(() => files[0]?.name).toBe('pinned-source-second-stream.py');
  expect(await files[0]?.content.text()).toContain('import torch');
});

it('marks what a remedy has changed, in both languages, until the remedy is undone', async () => {
  const { tools, verdict } = await openExample('overlap/pageable-side-stream');
  await tools.getByText('Code', { exact: true }).click();
  const remedied = program().css('[data-remedied]');
  await expect.element(program()).toHaveTextContent('cudaMemcpyAsync(');
  await expect.element(remedied).not.toBeInTheDocument();
  await verdict
    .getByRole('button', { name: /^Apply in a copy: Pin "source"/ })
    .first()
    .click();
  await expect.element(heading('Copy of Pageable source, second stream')).toBeVisible();
  const changed = page.getByRole('button', { name: 'Changed by the remedy' });
  await expect.element(changed).toBeVisible();
  // The selection in the copy of the document may scroll after a click.
  const showWith = (line: Locator): Promise<void> =>
    vi.waitFor(async () => {
      await changed.click();
      await expect.element(line, { timeout: 1000 }).toBeInViewport();
    }, 30_000);
  await showWith(remedied.first());
  await page.getByText('PyTorch', { exact: true }).click();
  await showWith(remedied.filter({ hasText: 'pin_memory=True' }).first());
  await press('Control+z');
  await expect.element(changed).not.toBeInTheDocument();
  await expect.element(remedied).not.toBeInTheDocument();
});
