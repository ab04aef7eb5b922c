/** What a person does in the timeline beyond looking: searching, and summing up a stretch of time. */
import { expect, test } from './support/test.ts';

test.beforeEach(async ({ window }) => {
  await window.open('Pinned source, second stream');
  await window.run();
});

test('search goes from match to match by keyboard, and says how many there are', async ({ window, page }) => {
  await page.keyboard.press('/');
  const box = window.timeline.getByRole('textbox', { name: 'Search the timeline' });
  await expect(box).toBeFocused();
  await box.fill('kernel');
  await expect(window.timeline.getByRole('status', { name: /^[1-9]\d* matches$/ })).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(window.timeline.getByTestId('timeline-announcement')).toContainText(/kernel/i);
  await page.keyboard.press('Escape');
  await expect(box).not.toBeFocused();
  await expect(box).toHaveValue('');
});

test('a stretch that is dragged over is summed up by name', async ({ window, page }) => {
  const box = await window.timeline.getByTestId('timeline-plot').boundingBox();
  if (box === null) throw new Error('the plot has no place');
  await page.mouse.move(box.x + 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 20, { steps: 4 });
  await page.mouse.up();
  const table = window.inspector.getByRole('region', { name: 'What ran in the stretch' });
  await expect(table.getByRole('columnheader')).toHaveText([
    ...['Name', 'Count', 'Total', 'Mean', 'Moved', 'Rate', 'Overlapped'],
  ]);
  await expect(table.getByRole('row').filter({ hasText: '20.0 MiB' }).first()).toContainText('GB/s');
  await expect(window.inspector.getByRole('button', { name: 'Copy as Markdown' })).toBeVisible();
});
