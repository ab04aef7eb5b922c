/** The trace of a real program: its steps, its plan, and the experiment made from it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { expect, test } from '../e2e/support/test.ts';
import type { Window } from '../e2e/support/window.ts';

const openTrace = (window: Window, name: string): Promise<void> =>
  window.openFile(
    `${name}.json.gz`,
    readFileSync(join(import.meta.dirname, `../fixtures/pytorch-pairs/${name}.json.gz`)),
  );

test('a PyTorch trace has a plan that is tried, measured, edited as an experiment, saved and run', async ({
  window,
  page,
}) => {
  await openTrace(window, 'vision.pageable');
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await expect(plan.getByText(/4 steps, ranges named "step"/)).toBeVisible();
  const chosen = plan.getByRole('region', { name: 'Chosen changes' });
  await expect(chosen.getByText(/→/)).toBeVisible();
  const remedy = plan.getByRole('list', { name: 'Remedies' }).getByRole('listitem').first();
  await expect(remedy.getByRole('checkbox')).toBeChecked();
  await expect(remedy.getByText(/pairs\.py:39/)).toBeVisible();
  await remedy.getByText('Code to write').click();
  await expect(remedy.getByText(/# Copy without blocking\s+x = batch\.to\(device, non_blocking=True\)/)).toBeVisible();
  await test.step('try: both on one time scale, and each change can be taken away', async () => {
    await chosen.getByRole('button', { name: 'Try' }).click();
    const both = page.getByRole('region', { name: 'Before and after' });
    await expect(both.getByText('Simulated', { exact: true })).toBeVisible();
    await expect(both.getByText(/Step recorded .*; simulated without the profiler/)).toBeVisible();
    await expect(both.getByText(/Gain .*\(90 % interval\)/)).toBeVisible();
    await expect(both.getByRole('article', { name: 'Before, as it is' })).toContainText('4 steps');
    await expect(both.getByRole('article', { name: /^After: Pin memory once, copy without/ })).toBeVisible();
    await chosen.getByText('Copy in another stream', { exact: true }).click();
    await expect(both.getByRole('article', { name: 'After: Pin memory once, copy without blocking' })).toBeVisible();
    await chosen.getByText('Copy in another stream', { exact: true }).click();
  });
  await test.step('measure: the lifted steps run before and after, and the window says which it shows', async () => {
    const both = page.getByRole('region', { name: 'Before and after' });
    await both.getByRole('button', { name: 'Measure…' }).click();
    await page.getByRole('menuitem', { name: /^CPU engine/ }).click();
    await expect(both.getByText('Measured', { exact: true })).toBeVisible();
    await expect(both.getByText(/Measured gain/)).toBeVisible();
    await expect(both.getByText(/Predicted of a step: .*%/)).toBeVisible();
    await both.getByText('Simulated', { exact: true }).click();
    await expect(both.getByText(/Gain .*\(90 % interval\)/)).toBeVisible();
    await both.getByRole('button', { name: 'Show the recording' }).click();
    await expect(window.timeline).toBeVisible();
  });
  await chosen.getByRole('button', { name: 'Edit as experiment' }).click();
  await expect(page.getByRole('heading', { level: 1, name: /^vision\.pageable: pin, non-blocking/ })).toBeVisible();
  await expect(page.getByText(/Lifted from the trace vision\.pageable/)).toBeVisible();
  const score = page.getByRole('region', { name: 'Score' });
  const copy = score.getByRole('button', { name: /^H2D 28\.1 MiB/ }).first();
  await copy.click();
  await page.keyboard.press('Delete');
  const undo = page.getByRole('button', { name: 'Undo', exact: true });
  await expect(page.getByText('Not saved')).toBeVisible();
  await undo.click();
  await expect(copy).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved')).toHaveCount(0);
  await window.pickEngine(/^CPU engine/);
  await window.run();
  await expect(window.runs.first()).toContainText('vision.pageable');
  await expect(window.status).toContainText('measured');
});

test('an export of Nsight Systems opens with lanes by process and the share of each cause', async ({
  window,
  page,
}) => {
  const packed = readFileSync(join(import.meta.dirname, '../fixtures/nsight/h100_2gpu_1s.sqlite.br'));
  await window.openFile('h100.sqlite', brotliDecompressSync(packed));
  await expect(page.getByText('A trace of Nsight Systems')).toBeVisible();
  await expect(page.getByText('process 111, thread 111 (python3)').first()).toBeVisible();
  const plan = page.getByRole('region', { name: 'Plan', exact: true });
  await expect(plan.getByText('with torch.cuda.nvtx.range("step")')).toBeVisible();
  const held = plan.getByRole('table', { name: 'Where the step time goes' }).getByRole('row').nth(1);
  await expect(held).toContainText('copies of page-locked memory that no kernel overlaps');
  await expect(held).toContainText(/95\.0\s%/);
});
