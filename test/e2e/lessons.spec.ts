/** Lessons as a learner takes them: by names and roles, with the mouse or with the keyboard. */
import { expect, test } from './support/test.ts';

test('from the welcome page through the first lesson: predict, run, change, finish', async ({ window, page }) => {
  await page.getByRole('button', { name: 'Begin with the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await expect(lesson.getByRole('heading', { name: 'What you see' })).toBeVisible();
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await expect(lesson.getByRole('list', { name: 'Simulated' }).getByLabel('Holds')).toHaveCount(2);
  await lesson.getByRole('button', { name: 'Next' }).click();
  await expect(window.timeline).toBeHidden();
  await lesson.getByRole('radio', { name: 'At once. It needs nothing of the copy.' }).click();
  await lesson.getByRole('button', { name: 'Answer, and run it' }).click();
  await expect(lesson.getByLabel('Right')).toHaveCount(1);
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await lesson.getByRole('button', { name: 'Next' }).click();
  const checks = lesson.getByRole('list', { name: 'Checks on the simulated run' });
  await expect(checks.getByLabel('Not yet')).toHaveCount(1);
  await page.getByTestId('score-sheet').locator('[data-op="0"]').click();
  await window.inspector.getByLabel('Stream', { exact: true }).selectOption('side');
  await expect(lesson.getByText('All checks hold.')).toBeVisible();
  await lesson.getByRole('button', { name: 'Next' }).click();
  await lesson.getByRole('button', { name: 'Finish' }).click();
  await expect(page.getByRole('button', { name: /Your first overlap/ }).getByLabel('Finished')).toBeVisible();
});
