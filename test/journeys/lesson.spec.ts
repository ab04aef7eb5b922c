/** A lesson from a learner's view. */
import { dragDown } from '../e2e/support/drag.ts';
import { expect, test } from '../e2e/support/test.ts';

test('the first lesson is played from the welcome page to its end: predict, run, change, finish', async ({
  window,
  page,
}) => {
  await page.getByRole('button', { name: 'Start the first lesson' }).click();
  const lesson = page.getByRole('region', { name: 'Lesson' });
  await expect(lesson.getByRole('heading', { name: 'What do you expect?' })).toBeVisible();
  // Nothing in the window reveals the answer.
  await expect(window.timeline).toBeHidden();
  await expect(page.getByText('Same stream')).toHaveCount(0);
  await lesson.getByRole('radio', { name: 'At once. It needs nothing of the copy.' }).click();
  await lesson.getByRole('button', { name: 'Answer, and run it' }).click();
  await expect(lesson.getByLabel('Right')).toHaveCount(1);
  await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
  await lesson.getByRole('button', { name: 'Next' }).click();
  // Four checks, each on the simulated and on the recorded run.
  await expect(lesson.getByRole('table').getByLabel('Passed')).toHaveCount(8);
  await lesson.getByRole('button', { name: 'Next' }).click();
  const checks = lesson.getByRole('list', { name: 'Checks on the simulated run' });
  await expect(checks.getByLabel('Not yet')).toHaveCount(2);
  await expect(window.verdict.getByText('Same stream')).toBeVisible();
  // Finding the change is the task.
  await expect(window.inspector.getByText('Suggested change.')).toHaveCount(0);
  const copy = page.getByTestId('score-sheet').locator('[data-op="0"]');
  const kernel = page.getByTestId('score-sheet').locator('[data-op="1"]');
  await dragDown(page, copy, -34);
  await expect(lesson.getByText('All checks passed.', { exact: true })).toBeVisible();
  await expect(lesson.getByRole('button', { name: 'Give me a hint' })).toHaveCount(0);
  await lesson.getByRole('button', { name: 'Next' }).click();
  // The learner's experiment stays visible.
  await expect(window.inspector.getByRole('heading', { name: 'Overlapped' })).toBeVisible();
  await expect(kernel).toBeVisible();
  await lesson.getByRole('button', { name: 'Next lesson' }).click();
  await expect(lesson.getByRole('heading', { level: 1, name: 'Running ahead, until the queue is full' })).toBeVisible();
  await lesson.getByRole('button', { name: 'All lessons' }).click();
  await expect(page.getByRole('button', { name: /Your first overlap/ }).getByLabel('Done')).toBeVisible();
});
