/** Everything a run needs, by keyboard alone. */
import { expect, test } from './support/test.ts';

/** Moves the focus with Tab until it is on what `name` describes; fails where it never gets there. */
async function tabTo(page: import('@playwright/test').Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 120; step += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      return element?.getAttribute('aria-label') ?? element?.textContent ?? '';
    });
    if (name.test(focused)) return;
  }
  throw new Error(`Tab never reached ${name}`);
}

test('opens an example, runs it, walks the score and the lanes, and reads the verdict', async ({ window, page }) => {
  await tabTo(page, /^Pinned source, second stream$/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  // The page brings other panels, and the focus is in its line of the library again.
  await expect(window.library.getByRole('button', { name: 'Pinned source, second stream', exact: true })).toBeFocused();

  await page.keyboard.press('Control+Enter');
  const plot = window.timeline.getByTestId('timeline-plot');
  await expect(plot).toBeVisible();
  // The recorded run's lanes stay until those of the new run are there.
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.runs).not.toHaveCount(0);

  // Zoom, pan and fit.
  const span = async (): Promise<number> => {
    const { startNs, endNs } = await plot.evaluate((element) => ({ ...(element as HTMLElement).dataset }));
    return Number(endNs) - Number(startNs);
  };
  // It has a size some frames after it is there.
  await expect(plot).toHaveAttribute('data-end-ns', /\d/);
  const whole = await span();
  await page.keyboard.press('w');
  await expect.poll(span).toBeLessThan(whole);
  await page.keyboard.press('f');
  await expect.poll(span).toBe(whole);

  // Activities one by one, told to screen readers too.
  const announcement = page.getByTestId('timeline-announcement');
  await page.keyboard.press('.');
  await expect(announcement).not.toBeEmpty();
  const first = await announcement.textContent();
  await page.keyboard.press('.');
  await expect(announcement).not.toHaveText(first ?? '');

  // With the pointer elsewhere a zoom is at what is selected, which so stays in view.
  const middle = async (): Promise<number> => {
    const { startNs, endNs } = await plot.evaluate((element) => ({ ...(element as HTMLElement).dataset }));
    return (Number(startNs) + Number(endNs)) / 2;
  };
  await page.keyboard.press('f');
  await expect.poll(span).toBeLessThan(whole);
  const [fitted, width] = [await middle(), await span()];
  await page.keyboard.press('f');
  await expect.poll(span).toBe(whole);
  for (let press = 0; press < 40; press += 1) await page.keyboard.press('w');
  await expect.poll(span).toBeLessThan(width);
  expect(Math.abs((await middle()) - fitted)).toBeLessThan(width);
  await page.keyboard.press('f');
  await page.keyboard.press('f');
  await expect.poll(span).toBe(whole);

  await page.keyboard.press('ArrowDown');
  await expect(window.inspector).toContainText('Numbers');
  await page.keyboard.press('Escape');
  await expect(window.verdict.getByRole('heading')).toHaveText('Overlapped');

  // The score: Tab reaches its first block, the arrows the others.
  await tabTo(page, /H2D/);
  await expect(page.locator(':focus')).toHaveAttribute('aria-pressed', /true|false/);
  await page.keyboard.press('ArrowRight');
  await expect(page.locator(':focus')).toHaveAttribute('aria-pressed', 'true');
  await expect(window.inspector).toContainText('Operation 2');
});

test('a remedy is applied and undone by keys, and the focus stays in the inspector', async ({ window, page }) => {
  await window.open('Same stream');
  await window.pickEngine(/^Simulated: NVIDIA H200/);
  await window.run();
  await expect(window.verdict).toContainText('Predicted gain');
  await window.inspector.focus();
  await tabTo(page, /^Apply in a copy: Move "upload"/);
  await page.keyboard.press('Enter');
  await expect(window.verdict).toContainText('Overlapped');
  await expect(window.inspector).toBeFocused();
  await page.keyboard.press('Control+z');
  await expect(page.getByTestId('announcement')).toHaveText('Undone: Remedy: Same stream');
  await expect(page.getByRole('heading', { level: 1, name: 'Same stream', exact: true })).toBeVisible();
  await expect(window.inspector).toBeFocused();
  await tabTo(page, /^Apply in a copy: Move "upload"/);
});

test('the list of keys opens with ? and closes with Escape, which gives the focus back', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.runButton.focus();
  await page.keyboard.press('?');
  const help = page.getByRole('dialog', { name: 'Keyboard and mouse' });
  await expect(help).toBeVisible();
  await expect(help).toContainText('Run what is open');
  await page.keyboard.press('Escape');
  await expect(help).toBeHidden();
  await expect(window.runButton).toBeFocused();
});

test('what is opened from the first page has the focus: Tab goes on in it', async ({ window, page }) => {
  await window.open('Same stream');
  await page.getByRole('button', { name: 'Copyscope', exact: true }).click();
  await page.getByRole('region', { name: 'Recent' }).getByRole('button').first().focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Same stream' })).toBeVisible();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Experiment settings' })).toBeFocused();
});

test('the engine is picked with the arrow keys', async ({ window, page }) => {
  await window.open('Pinned source, second stream');
  await window.engine.focus();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('listbox', { name: 'Engine' })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(window.engine).toHaveValue(/\S/);
  await expect(page.getByRole('listbox', { name: 'Engine' })).toBeHidden();
});
