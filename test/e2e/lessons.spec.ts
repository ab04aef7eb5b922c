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
  await expect(lesson.getByText('All checks passed.', { exact: true })).toBeVisible();
  await page.reload();
  await expect(lesson.getByRole('heading', { level: 2, name: 'Make them overlap' })).toBeVisible();
  await expect(lesson.getByText('All checks passed.', { exact: true })).toBeVisible();
  await expect(lesson.getByRole('button', { name: /^Step 1: .*, done$/ })).toBeVisible();
  await lesson.getByRole('button', { name: 'Start the task over' }).click();
  await expect(lesson.getByText('All checks passed.', { exact: true })).toBeHidden();
  await lesson.getByRole('button', { name: 'More about this lesson' }).click();
  await page.getByRole('menuitem', { name: 'Begin anew' }).click();
  await expect(lesson.getByRole('heading', { level: 2, name: 'What do you expect?' })).toBeVisible();
  await expect(lesson.getByRole('button', { name: /^Step 1: .*, a question$/ })).toBeVisible();
});
