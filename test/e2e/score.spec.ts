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

/** Each has what the other lacks: events and several streams, or pageable memory. */
for (const [hands, Builder, id] of [
  ['mouse', MouseBuilder, 'pipelines/strategy-b'],
  ['keyboard', KeyboardBuilder, 'overlap/pageable-same-stream'],
] as const) {
  test(`${id} is built from an empty page by ${hands}`, async ({ window, page, server }) => {
    // It takes two minutes on a busy machine.
    test.slow();
    await page.setViewportSize({ width: 1600, height: 1000 });
    await new Builder(window).build(shipped(id));
    expect(saved(server.dataFolder)).toEqual(shipped(id));
  });
}

test('changes that were not saved survive the end of the window', async ({ window, page, server }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('draft:experiment:');
  // A second window on the same storage, while the first is closed without a word.
  const context = page.context();
  const { hash } = new URL(page.url());
  await page.goto('about:blank');
  const again = await context.newPage();
  await again.goto((await server.address()) + hash);
  await expect(again.getByTestId('score-sheet')).toHaveAttribute('data-operations', '8');
  await expect(again.getByText('Not saved')).toBeVisible();
});
