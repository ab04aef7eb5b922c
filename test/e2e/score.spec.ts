/** The score as an editor: the shipped experiments are built from an empty page, by mouse and by keyboard alone. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { longExperiment } from '../bench/support/longExperiment.ts';
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

/** The other two of the four overlap cases are made of the same choices. */
const built = ['overlap/pageable-same-stream', 'overlap/pinned-side-stream', 'pipelines/strategy-b'];

for (const [hands, Builder] of [
  ['mouse', MouseBuilder],
  ['keyboard', KeyboardBuilder],
] as const) {
  for (const id of built) {
    test(`${id} is built from an empty page by ${hands}`, async ({ window, page, server }) => {
      // The longest of them takes two minutes of a machine that does as much besides.
      test.slow();
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

test('a block that is let go of before its last move was drawn lands under the pointer', async ({ window, page }) => {
  await window.open('Same stream');
  const sheet = page.getByTestId('score-sheet');
  const count = Number(await sheet.getAttribute('data-operations'));
  const first = sheet.locator('[data-op="0"]');
  const label = await first.innerText();
  await expect(sheet.locator(`[data-op="${count - 1}"]`)).not.toHaveText(label);
  const head = await sheet.getByText(String(count + 1), { exact: true }).boundingBox();
  const block = await first.boundingBox();
  if (head === null || block === null) throw new Error('the block or its new place is not on screen');
  const y = block.y + block.height / 2;
  await page.mouse.move(block.x + block.width / 2, y);
  await page.mouse.down();
  await page.mouse.move(block.x + block.width / 2 + 12, y, { steps: 3 });
  await expect(page.locator('[class*="dragged"]')).toBeVisible();
  // As from a busy page, which hears of the end before it has drawn the way there.
  await page.evaluate(
    ([x = 0, y = 0]) => {
      const at = { clientX: x, clientY: y, bubbles: true, isPrimary: true, pointerId: 1 };
      document.dispatchEvent(new PointerEvent('pointermove', { ...at, buttons: 1 }));
      document.dispatchEvent(new PointerEvent('pointerup', at));
    },
    [head.x + 20, y],
  );
  await expect(sheet.locator(`[data-op="${count - 1}"]`)).toHaveText(label);
  await page.mouse.up();
});

test('the cursor keeps the focus however fast keys come, however slow the machine is, wherever one scrolls', async ({
  window,
  page,
  server,
}) => {
  server.addExperiment('long', longExperiment(160));
  await page.reload();
  await window.open('160 operations');
  const sheet = page.getByTestId('score-sheet');
  const focused = page.locator(':focus');
  await sheet.locator('[data-op="0"]').focus();
  await test.step('two keys between two frames, the first of which scrolls', async () => {
    await page.evaluate(async () => {
      for (const key of ['End', 'ArrowLeft']) {
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
        await Promise.resolve();
      }
    });
    await expect(focused).toHaveAttribute('data-op', /\d/);
    await expect(focused).toBeInViewport();
  });
  await test.step('an edit that is drawn a second late', async () => {
    const before = (await focused.getAttribute('data-op')) ?? '';
    await page.evaluate(() => {
      const key = { key: 'd', ctrlKey: true, bubbles: true, cancelable: true };
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', key));
      const until = performance.now() + 1000;
      while (performance.now() < until);
    });
    await expect(focused).toHaveAttribute('data-op', String(Number(before) + 1));
  });
  await test.step('scrolled away, and on with the next key', async () => {
    const before = (await focused.getAttribute('data-op')) ?? '';
    await sheet.hover();
    await page.mouse.wheel(-100_000, 0);
    await expect(sheet.locator('[data-op="0"]')).toBeInViewport();
    await expect(focused).toHaveAttribute('data-op', before);
    await page.keyboard.press('ArrowLeft');
    await expect(focused).not.toHaveAttribute('data-op', before);
    await expect(focused).toBeInViewport();
  });
  await test.step('what is pressed elsewhere is not robbed of it', async () => {
    await window.status.getByText('Makespan').first().click();
    await page.keyboard.press('Control+z');
    await expect(sheet).toHaveAttribute('data-operations', '160');
    await expect(page.locator('[data-cursor]:focus')).toHaveCount(0);
  });
});

test('the next frame draws the lanes of an edit, the one after it the score, and all else follows', async ({
  window,
  page,
}) => {
  await window.open('Pinned source, second stream');
  const copy = page.getByTestId('score-sheet').locator('[data-op="0"]');
  await copy.click();
  await page.keyboard.press('-');
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Pinned source, second stream' })).toBeVisible();
  await expect(copy).toContainText('16.0 MiB');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  const drawn = await page.evaluate(async () => {
    const block = document.querySelector('[data-op="0"]');
    const lanes = () => document.querySelector<HTMLElement>('[data-testid="timeline-plot"]')?.dataset['makespanNs'];
    const before = lanes();
    block?.dispatchEvent(new KeyboardEvent('keydown', { key: '-', bubbles: true, cancelable: true }));
    // Each comes before its frame is drawn.
    await new Promise(requestAnimationFrame);
    const after = lanes();
    await new Promise(requestAnimationFrame);
    return { before, after, block: block?.textContent };
  });
  expect(drawn.block).toContain('14.0 MiB');
  expect(Number(drawn.after)).toBeLessThan(Number(drawn.before));
  await expect(window.inspector.getByLabel('Size', { exact: true })).toHaveValue('14 MiB');
  await expect(page.getByText('Not saved')).toBeVisible();
  await page.keyboard.press('Control+z');
  await expect(window.inspector.getByLabel('Size', { exact: true })).toHaveValue('16 MiB');
});

test('every edit redraws a simulated timeline', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="2"]').click();
  await page.keyboard.press('Delete');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.status).toContainText('Makespan');
  await expect(window.status).toContainText(/Makespan\s*[\d.]+ µs, [\d.]+ to [\d.]+ µs \(90 %\)/);
  const makespan = (): Promise<string> => window.status.innerText();
  const before = await makespan();
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect.poll(makespan).not.toBe(before);
});

test('a zoom stays at its time when an edit changes the makespan', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await page.keyboard.press('-');
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  const plot = page.getByTestId('timeline-plot');
  const shown = () => plot.evaluate(({ dataset }) => [dataset['startNs'], dataset['endNs']]);
  const whole = await shown();
  await window.timeline.getByRole('button', { name: 'Zoom in (W)' }).click();
  await expect.poll(shown).not.toEqual(whole);
  const zoomed = await shown();
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await page.keyboard.press('+');
  await expect(window.status).toContainText('Makespan');
  await expect(page.getByTestId('score-sheet').locator('[data-op="0"]')).toContainText('20.0 MiB');
  expect(await shown()).toEqual(zoomed);
  await window.timeline.getByRole('button', { name: 'Fit everything (F)' }).click();
  // The scale that both makespans had in sight.
  await expect.poll(shown).toEqual(whole);
});

test('changes that were not saved survive the end of the window', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('draft:experiment:');
  // A second window on the same storage, while the first is closed without a word.
  const context = page.context();
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
  const duration = window.inspector.getByLabel('Duration', { exact: true });
  await expect(duration).toHaveValue('50 us');
  await duration.fill('a while');
  await duration.press('Enter');
  await expect(window.inspector.getByText('Write a time such as 40 us or 1.5 ms.')).toBeVisible();
});

test('JSON that is left at once is taken over; what is no experiment yet stands there again', async ({
  window,
  page,
}) => {
  await window.open('Pinned source, second stream');
  const tools = page.getByRole('toolbar', { name: 'Score tools' });
  const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
  await tools.getByText('JSON', { exact: true }).click();
  await json.fill((await json.inputValue()).replace('"durationNs": 40000', '"durationNs": 50000'));
  // Another view in the same task as the last letter: neither a pause nor a blur comes before.
  await page.evaluate(() => {
    const switchTo = [...document.querySelectorAll('label')].find((label) => label.textContent === 'Score');
    switchTo?.click();
  });
  await expect(page.getByRole('heading', { level: 1, name: /^Copy of/ })).toBeVisible();
  await page.getByTestId('score-sheet').locator('[data-op="2"]').click();
  await expect(window.inspector.getByLabel('Duration', { exact: true })).toHaveValue('50 us');

  await tools.getByText('JSON', { exact: true }).click();
  const half = (await json.inputValue()).replace('"durationNs": 50000', '"durationNs": ');
  await json.fill(half);
  await tools.getByText('Score', { exact: true }).click();
  await expect(page.getByTestId('score-sheet')).toBeVisible();
  await window.open('Pageable source, same stream');
  await page.goBack();
  await tools.getByText('JSON', { exact: true }).click();
  await expect(json).toHaveValue(half);
  await expect(page.getByRole('alert').filter({ hasText: 'Line' })).toBeVisible();
});

test('a block is resized by its corner and by keys, with the value beside the pointer', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="2"]').click();
  const duration = window.inspector.getByLabel('Duration', { exact: true });
  await expect(duration).toHaveValue('40 us');
  const drag = async (by: number): Promise<void> => {
    const corner = await page.getByTestId('resize-2').boundingBox();
    if (corner === null) throw new Error('there is no corner to drag');
    await page.mouse.move(corner.x + 6, corner.y + 6);
    await page.mouse.down();
    await page.mouse.move(corner.x + 6 + by, corner.y + 6, { steps: 4 });
  };
  await drag(42);
  await expect(page.getByTestId('resize-value')).toHaveText('80 us');
  await expect(duration).toHaveValue('40 us');
  await page.mouse.up();
  await expect(duration).toHaveValue('80 us');
  await expect(page.getByTestId('announcement')).toHaveText('Change duration to 80 us');
  // Escape lets go of it.
  await drag(56);
  await page.keyboard.press('Escape');
  await page.mouse.up();
  await expect(page.getByTestId('resize-value')).toBeHidden();
  await expect(duration).toHaveValue('80 us');

  await sheet.locator('[data-op="0"]').click();
  const size = window.inspector.getByLabel('Size', { exact: true });
  for (const _ of [1, 2, 3, 4]) await page.keyboard.press('-');
  await expect(size).toHaveValue('10 MiB');
  await page.keyboard.press('+');
  await expect(size).toHaveValue('12 MiB');
  await page.keyboard.press('Control+z');
  await expect(size).toHaveValue('10 MiB');
});

test('what is copied is pasted into another experiment, with what it names', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await sheet.locator('[data-op="1"]').click({ modifiers: ['Shift'] });
  await page.keyboard.press('Control+c');
  await window.library.getByRole('button', { name: 'New experiment' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'New experiment' })).toBeVisible();
  await sheet.locator('[data-cursor]').click();
  await page.keyboard.press('Escape');
  await sheet.locator('[data-cursor]').focus();
  await page.keyboard.press('Control+v');
  await expect(sheet).toHaveAttribute('data-operations', '2');
  await page.getByText('Build', { exact: true }).click();
  const list = (name: string) => page.getByRole('region', { name, exact: true }).getByRole('listitem');
  await expect(list('Buffers').first()).toContainText('source');
  await expect(list('Streams').first()).toContainText('side');
  await expect(list('Events').first()).toContainText('copied');
});

test('neighbours are put in a range and taken out again, from the toolbar', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  const tools = page.getByRole('toolbar', { name: 'Score tools' });
  await sheet.locator('[data-op="2"]').click();
  await sheet.locator('[data-op="3"]').click({ modifiers: ['Control'] });
  await tools.getByRole('button', { name: 'Range' }).click();
  const group = sheet.getByRole('button', { name: 'range', exact: true });
  await expect(group).toHaveAttribute('aria-pressed', 'true');
  await window.inspector.getByLabel('Name', { exact: true }).fill('second step');
  await window.inspector.getByLabel('Name', { exact: true }).press('Enter');
  await sheet.getByRole('button', { name: 'second step', exact: true }).click();
  await tools.getByRole('button', { name: 'Ungroup' }).click();
  await expect(group).toHaveCount(0);
  await expect(sheet).toHaveAttribute('data-operations', '7');
});

test('a multi-tensor copy has fields for its strategy and the options of that', async ({ window, page }) => {
  await window.library.getByRole('button', { name: 'New experiment' }).click();
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-cursor]').focus();
  await page.keyboard.press('a');
  await expect(page.getByRole('textbox', { name: 'Add an operation or a template' })).toBeFocused();
  await page.keyboard.insertText('Copy many tensors');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Copy many tensors');
  await page.keyboard.press('Enter');
  const field = (label: string) => window.inspector.getByLabel(label, { exact: true });
  await field('Slot size').fill('1 B');
  await field('Slot size').press('Enter');
  await expect(window.inspector.getByText(/1 is no whole number from 4096 to/)).toBeVisible();
  await field('Slot size').fill('2 MiB');
  await field('Slot size').press('Enter');
  await expect(page.getByTestId('announcement')).toHaveText('Change slot size');
  await field('Size of each').fill('64 KiB, 1 MiB');
  await field('Size of each').press('Enter');
  await window.inspector.getByRole('switch', { name: /^Pack CPU tensors/ }).press('Space');
  await expect(page.getByTestId('announcement')).toHaveText('Change pack CPU tensors');
  await field('Strategy').selectOption('threaded-pinning');
  await expect(field('Slot size')).toHaveCount(0);
  await expect(field('Threads')).toHaveAttribute('placeholder', '4');
  await page.getByText('JSON', { exact: true }).click();
  const json = await page.getByRole('textbox', { name: 'Experiment as JSON' }).inputValue();
  expect(json).toMatch(/65536,\s+1048576/);
  expect(json).not.toContain('slotBytes');
});

test('a multi-tensor copy can go through other devices, where there are any', async ({ window, page }) => {
  await window.library.getByRole('button', { name: 'New experiment' }).click();
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-cursor]').focus();
  await page.keyboard.press('a');
  await page.getByRole('textbox', { name: 'Add an operation or a template' }).fill('Copy many tensors');
  await expect(page.getByRole('dialog').getByRole('button').first()).toContainText('Copy many tensors');
  await page.keyboard.press('Enter');
  const relay = window.inspector.getByRole('combobox', { name: 'Relay' });
  await expect(relay).toBeDisabled();
  await expect(window.inspector.getByText(/Needs a second device/)).toBeVisible();
  await page.getByText('JSON', { exact: true }).click();
  const json = page.getByRole('textbox', { name: 'Experiment as JSON' });
  const text = await json.inputValue();
  await json.fill(
    JSON.stringify({
      ...JSON.parse(text),
      devices: [
        { id: 'gpu', index: 0 },
        { id: 'second', index: 1 },
      ],
    }),
  );
  await relay.click();
  await page.getByRole('option', { name: 'all other devices' }).click();
  await expect(page.getByTestId('announcement')).toHaveText('Change relays');
  await expect(json).toHaveValue(/"relay": "auto"/);
  await expect(json).toHaveValue(/"peerAccess": true/);
});

test('blocks that take part in a hazard say so, and a click shows it', async ({ window, page }) => {
  await window.open('Pinned source changed in flight');
  const sheet = page.getByTestId('score-sheet');
  const marks = sheet.getByRole('button', { name: /^Hazard: / });
  await expect(marks).toHaveCount(2);
  await expect(sheet.locator('[data-op="2"]')).toHaveAccessibleName(/Hazard: Source changed in flight/);
  await marks.first().click();
  await expect(sheet.locator('[data-op="1"]')).toHaveAttribute('aria-pressed', 'true');
  await expect(window.inspector.getByRole('article', { name: /^Hazard: / })).toBeInViewport();
  await window.open('Pinned source changed in time');
  await expect(marks).toHaveCount(0);
});

test('an edit keeps the lanes’ scale, and marks the makespan that was', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  const plot = window.timeline.getByTestId('timeline-plot');
  const end = async (): Promise<number> => Number(await plot.getAttribute('data-end-ns'));
  const mark = window.timeline.getByTestId('former-makespan');
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  const size = window.inspector.getByLabel('Size', { exact: true });
  await size.fill('10 MiB');
  await size.press('Enter');
  await expect(mark).toContainText(/^before \d+ to \d+ µs, −\d+/);
  // Half of the copy is half as long on the same scale: the former end is still in sight.
  const former = async (): Promise<number> =>
    1000 * Number(/before (\d+) to/.exec((await mark.textContent()) ?? '')?.[1]);
  await expect.poll(async () => (await end()) > (await former())).toBe(true);
  // The field is that of the copy.
  await expect(page.getByRole('heading', { level: 1, name: 'Copy of Pinned source, second stream' })).toBeVisible();
  await expect(size).toHaveValue('10 MiB');
  await size.fill('20 MiB');
  await size.press('Enter');
  await expect(mark).toContainText(/^before \d+ to \d+ µs, \+\d+/);
  // A name changes nothing in the lanes.
  await window.inspector.getByLabel('Label', { exact: true }).fill('upload');
  await window.inspector.getByLabel('Label', { exact: true }).press('Enter');
  await expect(page.getByTestId('score-sheet').locator('[data-op="0"]')).toContainText('upload');
  await expect(mark).toContainText(/\+\d+/);
});
