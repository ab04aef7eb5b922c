/** Lessons as a learner takes them: by names and roles, with the mouse or with the keyboard. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator } from '@playwright/test';
import { expect, test } from './support/test.ts';

test('a race shows how many bytes were wrong in the recorded run, and its remedy that none were', async ({
  window,
  page,
}) => {
  await page.getByRole('button', { name: 'Lessons', exact: true }).click();
  await page.getByRole('button', { name: /Changing a source in flight/ }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('radio').first().click();
  await lesson.getByRole('button', { name: 'Answer, and run it' }).click();
  const arrived = lesson.getByRole('region', { name: 'What arrived' });
  await expect(arrived.getByText('2,097,152 of 4,194,304 bytes are wrong')).toBeVisible();
  await page.getByText('Recorded: NVIDIA H200', { exact: true }).click();
  await expect(window.status.getByText('2,097,152 bytes wrong')).toBeVisible();
  await lesson.getByRole('button', { name: /^Step 4/ }).click();
  await expect(arrived.getByText('All of 4,194,304 bytes are right')).toHaveCount(2);
});

test('an answer, a passed task and the open step are there after a reload; beginning anew forgets them', async ({
  window,
  page,
}) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Show the answer' }).click();
  await lesson.getByRole('button', { name: 'Next' }).click();
  await lesson.getByRole('button', { name: 'Next' }).click();
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await window.inspector.getByLabel('Stream', { exact: true }).selectOption('side');
  await expect(lesson.getByText('All checks hold.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(lesson.getByRole('heading', { level: 2, name: 'Make them overlap' })).toBeVisible();
  await expect(lesson.getByText('All checks hold.', { exact: true })).toBeVisible();
  await expect(lesson.getByRole('button', { name: /^Step 1: .*, done$/ })).toBeVisible();
  await lesson.getByRole('button', { name: 'Start the task over' }).click();
  await expect(lesson.getByText('All checks hold.', { exact: true })).toBeHidden();
  await lesson.getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name: 'Begin anew' }).click();
  await expect(lesson.getByRole('heading', { level: 2, name: 'What do you expect?' })).toBeVisible();
  await expect(lesson.getByRole('button', { name: /^Step 1: .*, a question$/ })).toBeVisible();
});

test('presenting: one key for each step, the answer before the next one, Escape ends', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Present' }).click();
  await expect(window.inspector).toBeHidden();
  await expect(lesson.getByRole('heading', { level: 2, name: 'What do you expect?' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(lesson.getByLabel('Right', { exact: true })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(lesson.getByRole('heading', { level: 2, name: 'Read the lanes' })).toBeVisible();
  await page.keyboard.press('ArrowRight');
  await expect(lesson.getByRole('heading', { level: 2, name: 'Make them overlap' })).toBeVisible();
  await page.keyboard.press('ArrowLeft');
  const lanes = lesson.getByRole('heading', { level: 2, name: 'Read the lanes' });
  await expect(lanes).toBeInViewport();
  // Its text is longer than the window: Space shows the rest first.
  const last = lesson.getByRole('rowheader', { name: 'The verdict' });
  await expect(last).toBeAttached();
  await expect(last).not.toBeInViewport();
  await page.keyboard.press('Space');
  await expect(last).toBeInViewport();
  // The runs' results may come meanwhile and make the text longer still.
  while (await hasMoreBelow(last)) await page.keyboard.press('Space');
  await expect(lesson.getByRole('heading', { level: 2, name: 'Read the lanes' })).toBeAttached();
  await page.keyboard.press('Space');
  await expect(lesson.getByRole('heading', { level: 2, name: 'Make them overlap' })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(window.inspector).toBeVisible();
});

test('a lesson is saved as one page that needs nothing else', async ({ window: _window, page }) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'More about this lesson' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'Save as a page, with answers' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('first-overlap.html');
  const html = readFileSync(await download.path(), 'utf8');
  for (const part of ['Your first overlap', 'Make them overlap', 'A stream runs its work in issue order', 'Source']) {
    expect(html).toContain(part);
  }
  expect(html).toContain('aria-label="Lanes of First overlap, simulated"');
  // Its sources are links, and nothing is loaded.
  expect(html).not.toMatch(/<script|<link|src=|url\(/);
  expect(html).toContain('<a href="https://docs.pytorch.org/');
});

test('presenting draws lanes, score and charts as large as the text, and as sharp', async ({
  window: _window,
  page,
}) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.evaluate(() => {
    location.hash = '#/lesson/six-ways?step=3';
  });
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Present', exact: true }).click();
  const plot = page.getByTestId('timeline-plot');
  await expect(plot).toBeVisible();
  /** Waits until a text's letters are more than `pixels` of the screen high: a chart drawn anew takes its old text away. */
  const isLarger = (locator: Locator, pixels: number): Promise<void> =>
    expect
      .poll(() =>
        locator.evaluate(
          // A picture's text has no zoom of its own.
          (element) =>
            Number.parseFloat(getComputedStyle(element).fontSize) *
            (element.closest<HTMLElement>('div, section')?.currentCSSZoom ?? 1),
        ),
      )
      .toBeGreaterThan(pixels);
  await isLarger(lesson.getByText('What the runs show'), 21);
  await isLarger(page.locator('[data-lane-name]').first(), 21);
  await isLarger(page.getByTestId('score-sheet').getByText('main', { exact: true }), 21);
  await isLarger(page.getByText('Phases', { exact: true }), 21);
  await isLarger(lesson.locator('svg text').first(), 17);
  // As many pixels as the screen has there.
  const canvas = plot.locator('canvas').first();
  await expect
    .poll(() =>
      canvas.evaluate((drawn) => Math.abs((drawn as HTMLCanvasElement).width - drawn.getBoundingClientRect().width)),
    )
    .toBeLessThan(3);
});

test('presenting leaves the lanes the room that a short score doesn’t need', async ({ window, page }) => {
  await page.setViewportSize({ width: 1920, height: 1080 });
  await page.evaluate(() => {
    location.hash = '#/lesson/four-cases';
  });
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Present', exact: true }).click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  for (const name of ['H2D engine', 'Compute']) {
    await expect(window.timeline.getByText(name, { exact: true }).first()).toBeInViewport({ ratio: 0.9 });
  }
});

test('a recorded run stands under what was recorded, where the learner’s score differs', async ({ window, page }) => {
  await page.evaluate(() => {
    location.hash = '#/lesson/first-overlap?step=3';
  });
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await window.inspector.getByLabel('Size', { exact: true }).fill('4 MiB');
  await window.inspector.getByLabel('Size', { exact: true }).press('Enter');
  await expect(sheet.locator('[data-op="0"]')).toContainText('H2D 4.00 MiB');
  const shown = page.getByRole('radiogroup', { name: 'Run shown' });
  await shown.getByText(/^Recorded/).click();
  await expect(page.getByText('As recorded.')).toBeVisible();
  await expect(sheet.locator('[data-op="0"]')).toContainText('H2D 20.0 MiB');
  await page.getByRole('button', { name: 'Back to mine' }).click();
  await expect(sheet.locator('[data-op="0"]')).toContainText('H2D 4.00 MiB');
  await expect(page.getByText('As recorded.')).toHaveCount(0);
});

test('a handout has the questions and room to write, and no answer', async ({ window: _window, page }) => {
  await page.evaluate(() => {
    globalThis.print = () => document.body.setAttribute('data-printed', 'yes');
  });
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  await page.getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name: 'Print a handout, without answers' }).click();
  await expect(page.locator('body[data-printed]')).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const printed = page.getByTestId('printed-lesson');
  await expect(printed).toContainText('Name:');
  await expect(printed).toContainText('At once. It needs nothing of the copy.');
  await expect(printed).toContainText('Make them overlap');
  await expect(printed).not.toContainText('Right:');
  await expect(printed).not.toContainText('A stream runs its work in issue order');
  await expect(printed.locator('svg')).toHaveCount(0);
});

test('a lesson whose task is left unsolved says so, in the list and on its last step', async ({
  window: _window,
  page,
}) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Show the answer' }).click();
  for (const _ of [1, 2, 3]) await lesson.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(lesson.getByRole('note')).toContainText('The task of step 3 is not solved');
  await lesson.getByRole('button', { name: 'Finish' }).click();
  const item = page.getByRole('button', { name: /Your first overlap/ });
  await expect(item.getByLabel('Read to its end, task not solved')).toBeVisible();
  await expect(item).toContainText('Task not solved');
  // It goes on at the task.
  await item.click();
  await expect(lesson.getByRole('heading', { name: 'Your task' })).toBeVisible();
  // What to change stays closed until it is asked for.
  await expect(page.getByText('What to change.')).toHaveCount(0);
  await page.getByRole('button', { name: 'Show what to change' }).first().click();
  await expect(page.getByText('What to change.').first()).toBeVisible();
});

test('results are exported without a name, and collected into a table', async ({ window: _window, page }) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('radio').first().click();
  await lesson.getByRole('button', { name: 'Answer, and run it' }).click();
  await lesson.getByRole('button', { name: 'All lessons' }).click();
  await page.getByRole('button', { name: 'Export my results' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the file' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('my-lesson-results.json');
  const text = readFileSync(await download.path(), 'utf8');
  expect(JSON.parse(text)).not.toHaveProperty('name');
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Collect results' }).click(),
  ]);
  const named = JSON.stringify({ ...JSON.parse(text), name: 'Ada' });
  await chooser.setFiles([
    { name: 'seat-7.json', mimeType: 'application/json', buffer: Buffer.from(text) },
    { name: 'b.json', mimeType: 'application/json', buffer: Buffer.from(named) },
    { name: 'other.json', mimeType: 'application/json', buffer: Buffer.from('{}') },
  ]);
  const table = page.getByRole('dialog', { name: 'Results of a class' }).getByRole('table');
  await expect(table.getByRole('rowheader')).toHaveText(['Ada', 'seat-7']);
  await expect(table.getByRole('columnheader')).toHaveText(['Name', 'Done', 'Your first overlap']);
  await expect(table.getByRole('cell').nth(1)).toContainText('0 of 1 task solved');
  await expect(page.getByRole('alert').filter({ hasText: 'other.json was left out' })).toBeVisible();
});

test('a lesson is printed with its answers and its lanes', async ({ window: _window, page }) => {
  await page.evaluate(() => {
    globalThis.print = () => document.body.setAttribute('data-printed', 'yes');
  });
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  await page.getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name: 'Print with answers' }).click();
  await expect(page.locator('body[data-printed]')).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  const printed = page.getByTestId('printed-lesson');
  await expect(printed).toContainText('Right: A stream runs its work in issue order');
  await expect(printed.locator('svg[aria-label="Lanes of First overlap, simulated"]')).toHaveCount(2);
  await expect(printed).toContainText('H2D copy');

  // Where the recorded run is the one shown, its lanes are printed, and they say so.
  await page.emulateMedia({ media: 'screen' });
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await page
    .getByRole('radiogroup', { name: 'Run shown' })
    .getByText(/^Recorded/)
    .click();
  await page.evaluate(() => document.body.removeAttribute('data-printed'));
  await page.getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name: 'Print with answers' }).click();
  await expect(page.locator('body[data-printed]')).toBeVisible();
  await page.emulateMedia({ media: 'print' });
  await expect(printed.locator('svg[aria-label="Lanes of First overlap, recorded"]')).toHaveCount(1);
  await expect(printed.locator('svg[aria-label="Lanes of First overlap, simulated"]')).toHaveCount(1);
  await expect(printed).toContainText(/First overlap, recorded on NVIDIA H200, .*\d\./);
});

test('a lesson of one’s own is listed and played; one with a mistake says where it is', async ({
  server,
  window,
  page,
}) => {
  const text = readFileSync(join(import.meta.dirname, '../../assets/lessons/first-overlap.md'), 'utf8');
  await expect(window.library).toBeVisible();
  server.addLesson('mine', text.replace('title: Your first overlap', 'title: My own lesson'));
  server.addLesson('broken', text.replace('minutes: 4', 'minutes: soon'));
  await page.getByRole('button', { name: 'Lessons', exact: true }).click();
  await expect(page.getByText(/line 8: minutes: "soon" is not/)).toBeVisible();
  await page.getByRole('button', { name: /My own lesson/ }).click();
  const question = page.getByTestId('lesson').getByRole('heading', { level: 2, name: 'What do you expect?' });
  await expect(question).toBeVisible();
  await page.getByRole('button', { name: 'Show the answer' }).click();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
});

test('the glossary opens from a word, a lane and a verdict', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await lesson.getByRole('button', { name: 'Show the answer' }).click();
  await lesson.getByRole('button', { name: 'Next' }).click();
  await lesson.getByRole('button', { name: 'copy engine' }).click();
  const card = page.getByRole('dialog', { name: 'Copy engine' });
  await expect(card).toContainText('moves data while kernels run');
  await page.keyboard.press('Escape');
  await expect(card).toBeHidden();
  await window.inspector.getByRole('button', { name: 'Stream', exact: true }).click();
  await page.getByRole('button', { name: 'Open in the glossary' }).click();
  await expect(page.getByRole('article', { name: 'Stream', exact: true })).toBeFocused();
  await page.goBack();
  await window.timeline.getByRole('button', { name: /^Compute/ }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'What is this lane?' }).click();
  await expect(page.getByRole('article', { name: 'Compute lane' })).toBeFocused();
  await page.getByLabel('Search the glossary').fill('zero-copy');
  await expect(page.getByRole('article')).toHaveCount(1);
});

/** Whether what scrolls around `inside` has not been scrolled to its end; the last few pixels don't count. */
const hasMoreBelow = (inside: Locator): Promise<boolean> =>
  inside.evaluate((element) => {
    const unseen = ({ scrollHeight, clientHeight, scrollTop }: Element) => scrollHeight - clientHeight - scrollTop;
    for (let around = element.parentElement; around !== null; around = around.parentElement)
      if (getComputedStyle(around).overflowY === 'auto' && unseen(around) > 8) return true;
    return false;
  });
