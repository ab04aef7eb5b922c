/** Kernels of cuBLAS and cuFFT in the score: their fields, what a wrong value is told, and what the lanes say of them. */
import { looksRight } from './support/looks.ts';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

/** A new experiment with one kernel, picked by keyboard; gives the fields of its form. */
async function addKernel({ page, library, inspector }: Window) {
  await library.getByRole('button', { name: 'New experiment' }).click();
  await page.getByTestId('score-sheet').locator('[data-cursor]').focus();
  await page.keyboard.press('a');
  await expect(page.getByRole('textbox', { name: 'Add an operation or a template' })).toBeFocused();
  await page.keyboard.insertText('Kernel');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Kernel');
  await page.keyboard.press('Enter');
  const field = (label: string) => inspector.getByLabel(label, { exact: true });
  await expect(field('Kernel')).toBeVisible();
  return {
    field,
    async fill(label: string, text: string) {
      await field(label).fill(text);
      await field(label).press('Enter');
    },
  };
}

test('a kernel becomes a matrix product: sizes, numbers, TF32, and when its work space is made', async ({
  window,
  page,
}) => {
  const { field, fill } = await addKernel(window);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await field('Kernel').selectOption('matmul');
  await expect(field('Share of SMs')).toHaveCount(0);
  await fill('Rows (m)', '0');
  await expect(window.inspector.getByText('0 is not a number of at least 1.')).toBeVisible();
  await looksRight(page);
  for (const size of ['Rows (m)', 'Columns (n)', 'Depth (k)']) await fill(size, '4096');
  // Its buffers grow with it.
  await expect(window.alerts).toHaveCount(0);
  const makespan = window.timeline.locator('[data-testid="timeline-plot"][data-makespan-ns]');
  await expect.poll(async () => Number(await makespan.getAttribute('data-makespan-ns'))).toBeGreaterThan(1e6);
  const mark = window.timeline.getByTestId('former-makespan');
  await window.inspector.getByRole('switch', { name: /^Allow TF32/ }).press('Space');
  await expect(mark).toContainText(/^before [\d.]+ ms to [\d.]+ µs, −/);
  await field('Numbers').selectOption('bfloat16');
  await field('Work space is made').selectOption('first-use');
  await page.getByText('JSON', { exact: true }).click();
  const json = await page.getByRole('textbox', { name: 'Experiment as JSON' }).inputValue();
  expect(json).toMatch(/"kind": "matmul"[^}]*"m": 4096[^}]*"dtype": "bfloat16"[^}]*"workspace": "first-use"/);
});

test('a kernel becomes an FFT: the plan that its first use makes stalls the host', async ({ window, page }) => {
  const { field, fill } = await addKernel(window);
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await field('Kernel').selectOption('fft');
  await fill('Size', '1');
  await expect(window.inspector.getByText('1 is not a number of at least 2.')).toBeVisible();
  await fill('Size', '65536');
  await fill('Batch', '64');
  await field('Plan is made').selectOption('first-use');
  await expect(page.getByTestId('announcement')).toHaveText(/plan/i);
  await expect.poll(async () => (await window.activities()).map(({ name }) => name).join()).toMatch(/plan/i);
  await looksRight(page);
});
