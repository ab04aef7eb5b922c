/** A real program's trace: its steps, its plan, what is chosen of it, and the lifted experiment. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

const openTrace = (window: Window, name: string): Promise<void> =>
  window.openFile(
    `${name}.json.gz`,
    readFileSync(join(import.meta.dirname, `../fixtures/pytorch-pairs/${name}.json.gz`)),
  );

test('the same by keyboard, and kernels fold into one block', async ({ window, page }) => {
  await window.chooseTheme('Dark');
  await openTrace(window, 'vision.pageable');
  const chosen = page.getByRole('region', { name: 'Chosen changes' });
  await expect(chosen.getByText(/→/)).toBeVisible();
  const first = page.getByRole('list', { name: 'Remedies' }).getByRole('checkbox').first();
  await first.focus();
  await page.keyboard.press('Space');
  await expect(chosen.getByText(/Nothing is chosen/)).toBeVisible();
  await page.keyboard.press('Space');
  await chosen.getByRole('button', { name: 'Try' }).press('Enter');
  await expect(page.getByRole('article', { name: /^After: Pin/ })).toBeVisible();
  await page.getByRole('button', { name: 'Edit as experiment' }).press('Enter');
  const score = page.getByRole('region', { name: 'Score' });
  const sheet = page.getByTestId('score-sheet');
  await expect(score.getByRole('button', { name: /^work/ }).first()).toBeVisible();
  const operations = async (): Promise<number> => Number(await sheet.getAttribute('data-operations'));
  const folded = await operations();
  expect(folded).toBeLessThan(60);
  await score.getByRole('button', { name: /^work/ }).first().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  const step = score.getByRole('button', { name: /^step .* operations, main, .*folded/ }).last();
  await expect(step).toBeFocused();
  await page.keyboard.press('Shift+F');
  await expect.poll(operations).toBeGreaterThan(folded);
  await page.keyboard.press('Control+z');
  await expect.poll(operations).toBe(folded);
  await page.keyboard.press('Shift+F');
  await expect(page.getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved')).toHaveCount(0);
  await window.engine.focus();
  await page.keyboard.press('Enter');
  const wanted = page.getByRole('option', { name: /^CPU engine/ });
  await expect(wanted).toBeVisible();
  while ((await wanted.getAttribute('data-combobox-selected')) === null) await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(window.engine).toHaveValue(/CPU engine/);
  await page.keyboard.press('Control+Enter');
  await expect(window.runs.first()).toContainText('vision.pageable');
  await expect(window.status).toContainText('measured');
});
