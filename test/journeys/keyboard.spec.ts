/** Everything that a run needs works by keyboard alone. */
import { tabTo } from '../e2e/support/keys.ts';
import { expect, test } from '../e2e/support/test.ts';

test('an example is opened, run and read by keyboard alone', async ({ window, page }) => {
  await tabTo(page, /^Experiments$/);
  const item = window.library.getByRole('button', { name: 'Pinned source, second stream', exact: true });
  for (let line = 0; line < 20 && !(await item.evaluate((one) => one === document.activeElement)); line += 1)
    await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Pinned source, second stream' })).toBeVisible();
  // The page has other panels, and the focus is back in its line of the library.
  await expect(item).toBeFocused();

  await page.keyboard.press('Control+Enter');
  const plot = window.timeline.getByTestId('timeline-plot');
  await expect(plot).toBeVisible();
  // The recorded run's lanes stay until those of the new run are ready.
  await expect(window.timeline.getByText('Simulated', { exact: true })).toBeVisible();
  await expect(window.runs).not.toHaveCount(0);

  // Zoom, pan and fit.
  const span = async (): Promise<number> => {
    const { startNs, endNs } = await plot.evaluate((element) => ({ ...(element as HTMLElement).dataset }));
    return Number(endNs) - Number(startNs);
  };
  // The plot gets its size some frames later.
  await expect(plot).toHaveAttribute('data-end-ns', /\d/);
  const whole = await span();
  await page.keyboard.press('w');
  await expect.poll(span).toBeLessThan(whole);
  await page.keyboard.press('f');
  await expect.poll(span).toBe(whole);

  // Activities one by one, also announced to screen readers.
  const announcement = page.getByTestId('timeline-announcement');
  await page.keyboard.press('.');
  await expect(announcement).not.toBeEmpty();
  const first = await announcement.textContent();
  await page.keyboard.press('.');
  await expect(announcement).not.toHaveText(first ?? '');

  // In the library the arrows go from line to line.
  await plot.evaluate((element) => element.closest<HTMLElement>('[tabindex="0"]')?.focus());
  await page.keyboard.press('ArrowDown');
  await expect(window.inspector).toContainText('Numbers');
  await page.keyboard.press('Escape');
  await item.focus();
  await expect(window.verdict.getByRole('heading')).toHaveText('Overlapped');

  // Tab focuses the score's first block, the arrows the others.
  await tabTo(page, /H2D/);
  await expect(page.locator(':focus')).toHaveAttribute('aria-pressed', /true|false/);
  await page.keyboard.press('ArrowRight');
  await expect(page.locator(':focus')).toHaveAttribute('aria-pressed', 'true');
  await expect(window.inspector).toContainText('Operation 2');
});
