import type { Locator } from '@playwright/test';
import { expect, test } from './support/test.ts';

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

/** Whether what scrolls around `inside` has not been scrolled to its end; the last few pixels don't count. */
const hasMoreBelow = (inside: Locator): Promise<boolean> =>
  inside.evaluate((element) => {
    const unseen = ({ scrollHeight, clientHeight, scrollTop }: Element) => scrollHeight - clientHeight - scrollTop;
    for (let around = element.parentElement; around !== null; around = around.parentElement)
      if (getComputedStyle(around).overflowY === 'auto' && unseen(around) > 8) return true;
    return false;
  });
