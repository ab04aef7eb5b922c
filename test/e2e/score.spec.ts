/** The score as an editor: the shipped experiments are built from an empty page, by mouse and by keyboard alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { KeyboardBuilder, MouseBuilder } from './support/builder.ts';
import { expect, test } from './support/test.ts';

const examples = join(import.meta.dirname, '../../assets/examples');
const shipped = (id: string): Experiment => requireExperiment(readFileSync(join(examples, `${id}.json`), 'utf8'));

/** The one experiment that was saved. */
function saved(dataFolder: string): Experiment {
  const folder = join(dataFolder, 'experiments');
  const [file = ''] = readdirSync(folder);
  return requireExperiment(readFileSync(join(folder, file), 'utf8'));
}

const built = [
  'overlap/pageable-same-stream',
  'overlap/pageable-side-stream',
  'overlap/pinned-same-stream',
  'overlap/pinned-side-stream',
  'pipelines/strategy-b',
];

for (const [hands, Builder] of [
  ['mouse', MouseBuilder],
  ['keyboard', KeyboardBuilder],
] as const) {
  for (const id of built) {
    test(`${id} is built from an empty page by ${hands}`, async ({ window, page, server }) => {
      test.setTimeout(120_000);
      await page.setViewportSize({ width: 1600, height: 1000 });
      await new Builder(window).build(shipped(id));
      expect(saved(server.dataFolder)).toEqual(shipped(id));
    });
  }
}

test('an edit of an example makes a copy; undo and redo go through every step by name', async ({
  window,
  page,
  server,
}) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="3"]').click();
  await page.keyboard.press('Control+d');
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Pinned source, second stream' })).toBeVisible();
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.keyboard.press('Delete');
  await expect(sheet).toHaveAttribute('data-operations', '7');
  await expect(page.getByTestId('announcement')).toHaveText('Delete multiply 3 passes');
  await page.keyboard.press('Control+z');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.keyboard.press('Control+z');
  await expect(sheet).toHaveAttribute('data-operations', '7');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Duplicate multiply 3 passes');
  await page.keyboard.press('Control+Shift+z');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.keyboard.press('Control+s');
  await expect(page.getByText('Not saved')).toBeHidden();
  await expect.poll(() => saved(server.dataFolder).threads[0]?.operations.length).toBe(8);
});

test('every edit redraws a simulated timeline', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="2"]').click();
  await page.keyboard.press('Delete');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.status).toContainText('Makespan');
  const makespan = (): Promise<string> => window.status.innerText();
  const before = await makespan();
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect.poll(makespan).not.toBe(before);
});

test('changes that were not saved survive the end of the window', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await page.waitForTimeout(1000);
  // A second window on the same storage, while the first is closed without a word.
  const context = page.context();
  const storage = await page.evaluate(() => JSON.stringify(localStorage));
  expect(storage).toContain('draft:experiment:');
  const address = page.url();
  await page.goto('about:blank');
  const again = await context.newPage();
  await again.goto(address);
  await expect(again.getByTestId('score-sheet')).toHaveAttribute('data-operations', '8');
  await expect(again.getByText('Not saved')).toBeVisible();
});

test('the JSON flows both ways, and an error points at its line', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await page.getByText('JSON', { exact: true }).click();
  const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
  const text = await json.inputValue();
  await json.fill(text.replace('"durationNs": 40000', '"durationNs": -1'));
  const problem = page.getByRole('alert').filter({ hasText: 'threads[0].operations[2].durationNs' });
  const line = text.split('\n').findIndex((one) => one.includes('"durationNs": 40000')) + 1;
  await expect(problem.getByRole('button', { name: `Line ${line}` })).toBeVisible();
  await json.fill(text.replace('"durationNs": 40000', '"durationNs": 50000'));
  await expect(page.getByRole('heading', { level: 1, name: /^Copy of/ })).toBeVisible();
  await page.getByRole('toolbar', { name: 'Score tools' }).getByText('Score', { exact: true }).click();
  await page.getByTestId('score-sheet').locator('[data-op="2"]').click();
  const duration = window.inspector.getByLabel('Duration');
  await expect(duration).toHaveValue('50 us');
  await duration.fill('a while');
  await duration.press('Enter');
  await expect(window.inspector.getByText('Write a time such as 40 us or 1.5 ms.')).toBeVisible();
});
