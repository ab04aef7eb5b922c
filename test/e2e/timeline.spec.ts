/** What a person does in the timeline beyond looking: searching, and summing up a stretch of time. */
import { readFileSync } from 'node:fs';
import { expect, test } from './support/test.ts';
import type { Window } from './support/window.ts';

test.beforeEach(async ({ window }) => {
  await window.open('Pinned source, second stream');
  await window.run();
  // Until then the recorded run's lanes are shown.
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  // What a worker sums up comes after the lanes, and brings one more.
  await expect.poll(() => window.lanes()).toContain('side queue');
});

test.describe('notes', () => {
  const list = (window: Window) => window.page.getByRole('complementary', { name: 'Notes' });
  const items = (window: Window) => list(window).getByRole('listitem');

  test('are marked, written, undone, gone to and deleted by keyboard, and survive a reload', async ({
    window,
    page,
    server,
  }) => {
    const announcement = window.timeline.getByTestId('timeline-announcement');
    const saved = () =>
      Object.keys(server.files())
        .filter((path) => /\/notes\/[^/]+\.json$/.test(path))
        .map((path) => readFileSync(path, 'utf8'))
        .join('');
    await page.keyboard.press('.');
    await expect(announcement).not.toBeEmpty();
    const first = await announcement.textContent();
    await page.keyboard.press('m');
    await expect(window.timeline.getByRole('button', { name: 'Notes, 1' })).toBeVisible();
    await page.keyboard.press('ArrowDown');
    await expect(announcement).not.toHaveText(first ?? '');
    await page.keyboard.press('n');
    await expect(list(window).getByRole('textbox')).toBeFocused();
    await page.keyboard.type('The copy begins here');
    await page.keyboard.press('Enter');
    await expect(items(window)).toHaveCount(2);
    await expect(items(window).nth(1)).toContainText('The copy begins here');

    await page.keyboard.press('Control+z');
    await expect(items(window).nth(1)).not.toContainText('The copy begins here');
    await expect.poll(saved).not.toContain('The copy begins here');
    await page.keyboard.press('Control+Shift+z');
    await expect(items(window).nth(1)).toContainText('The copy begins here');

    await page.keyboard.press('Shift+>');
    await expect(announcement).toHaveText(first ?? '');

    await expect.poll(saved).toContain('The copy begins here');
    await page.reload();
    await expect(items(window)).toHaveCount(2);
    await expect(items(window).nth(1)).toContainText('The copy begins here');
    await items(window)
      .nth(1)
      .getByRole('button', { name: /^Delete/ })
      .focus();
    await page.keyboard.press('Enter');
    await expect(items(window)).toHaveCount(1);
    await page.keyboard.press('Control+z');
    await expect(items(window)).toHaveCount(2);
  });
});
