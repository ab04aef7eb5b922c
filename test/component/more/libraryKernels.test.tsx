/** Kernels of cuBLAS and cuFFT in the score: their fields, refused values, and their lanes. */
import { expect, it } from 'vitest';
import { state } from '../../../renderer/store/store.ts';
import { heading, numberOf, openWorkbench, page, press, type } from '../support/workbench.tsx';

/** Opens a new experiment with one kernel, whose fields are shown. */
async function openKernel() {
  const window = await openWorkbench();
  await press('Alt+n');
  await expect.element(heading('New experiment')).toBeVisible();
  await expect.element(page.css('[data-cursor]')).toHaveFocus();
  await press('a');
  await expect.element(page.getByRole('textbox', { name: 'Add an operation or a template' })).toHaveFocus();
  await type('Kernel');
  await expect.element(page.getByRole('dialog').getByRole('button').first()).toHaveTextContent('Kernel');
  await press('Enter');
  await expect.element(window.field('Kernel')).toBeVisible();
  const fill = async (label: string, text: string): Promise<void> => {
    await window.field(label).fill(text);
    await press('Enter');
  };
  return { ...window, fill };
}

const kernel = () => {
  const [key = ''] = Object.keys(state().documents);
  const document = state().documents[key];
  return document?.status === 'ready' ? document.value.threads[0]?.operations[0] : undefined;
};

it('makes a kernel a matrix product with sizes, numbers, TF32 and a work space', async () => {
  const { field, fill, inspector, plot } = await openKernel();
  await field('Kernel').selectOptions('matmul');
  await expect.element(field('Share of SMs')).not.toBeInTheDocument();
  await fill('Rows (m)', '0');
  await expect.element(field('Rows (m)')).toHaveAttribute('aria-invalid', 'true');
  for (const size of ['Rows (m)', 'Columns (n)', 'Depth (k)']) await fill(size, '4096');
  // The buffers grow with the matrices.
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.poll(() => numberOf(plot, 'makespanNs')).toBeGreaterThan(1e6);
  const before = numberOf(plot, 'makespanNs');
  await inspector.getByRole('switch', { name: /^Allow TF32/ }).click();
  await expect.poll(() => numberOf(plot, 'makespanNs')).toBeLessThan(before);
  await field('Numbers').selectOptions('bfloat16');
  await field('Work space is made').selectOptions('first-use');
  await expect.poll(kernel).toMatchObject({
    kernel: { kind: 'matmul', m: 4096, n: 4096, k: 4096, dtype: 'bfloat16', workspace: 'first-use' },
  });
});

it('makes a kernel an FFT, whose plan stalls the host at its first use', async () => {
  const { field, fill, timeline } = await openKernel();
  await field('Kernel').selectOptions('fft');
  await fill('Size', '1');
  await expect.element(field('Size')).toHaveAttribute('aria-invalid', 'true');
  await fill('Size', '65536');
  await fill('Batch', '64');
  await field('Plan is made').selectOptions('first-use');
  await expect.poll(kernel).toMatchObject({ kernel: { kind: 'fft', plan: 'first-use' } });
  await timeline.getByText('Table', { exact: true }).click();
  await expect.element(timeline.getByRole('row', { name: /plan/i }).first()).toBeVisible();
});
