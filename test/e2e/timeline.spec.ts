/** What a person does in the timeline beyond looking: searching, and summing up a stretch of time. */
import { readFileSync } from 'node:fs';
import type { Locator } from '@playwright/test';
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

test.describe('lanes', () => {
  const header = (window: Window, name: string) =>
    window.timeline.getByRole('button', { name: new RegExp(`^${name}\\s*,`) });
  const openMenu = async (window: Window, name: string): Promise<Locator> => {
    await header(window, name).click({ button: 'right' });
    return window.page.getByRole('menu', { name: `Lane ${name}` });
  };

  test('are pinned, hidden, collapsed and put back by mouse, and stay so after a reload', async ({ window, page }) => {
    const natural = await window.lanes();
    await (await openMenu(window, 'Compute')).getByRole('menuitem', { name: 'Pin to the top' }).click();
    await expect.poll(async () => (await window.lanes())[0]).toBe('Compute');
    await expect(window.timeline.getByRole('list', { name: 'Pinned lanes' })).toContainText('Compute');
    await (await openMenu(window, 'main')).getByRole('menuitem', { name: 'Hide' }).click();
    await expect.poll(() => window.lanes()).not.toContain('main');
    await (await openMenu(window, 'side')).getByRole('menuitem', { name: 'Collapse streams' }).click();
    await expect.poll(() => window.lanes()).toContain('Streams');
    const arranged = await window.lanes();

    await page.reload();
    await expect(window.timeline.getByTestId('timeline-plot')).toBeVisible();
    await expect.poll(() => window.lanes()).toEqual(arranged);

    await window.timeline.getByRole('button', { name: 'Lanes, 1 hidden' }).click();
    await page.getByRole('menuitem', { name: /^Show main/ }).click();
    await expect.poll(() => window.lanes()).toContain('main');
    await page.getByRole('menuitem', { name: 'Reset lanes' }).click();
    await expect.poll(() => window.lanes()).toEqual(natural);
  });

  test('are dragged to another place', async ({ window, page }) => {
    const natural = await window.lanes();
    const from = await header(window, 'main').boundingBox();
    const to = await header(window, 'side').boundingBox();
    if (from === null || to === null) throw new Error('the lanes have no place');
    await page.mouse.move(from.x + 40, from.y + from.height / 2);
    await page.mouse.down();
    await page.mouse.move(from.x + 40, from.y + from.height, { steps: 3 });
    await page.mouse.move(to.x + 40, to.y + to.height - 3, { steps: 5 });
    await page.mouse.up();
    const [main, side, ...rest] = natural;
    await expect.poll(() => window.lanes()).toEqual([side, main, ...rest]);
  });
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
