/** With little room: nothing that matters is cut off, and no toolbar takes more lines than it needs. */
import { expect, test } from './support/test.ts';

const isWhole = (element: Element): boolean => element.scrollWidth <= element.clientWidth;

test('what is wrong stays in the status line when the window is small or enlarged', async ({ window, page }) => {
  await window.open('Result read too early');
  await expect(window.status).toContainText('bytes wrong');
  // As 1280 by 800 at 150 %.
  await page.setViewportSize({ width: 853, height: 533 });
  await expect.poll(() => window.status.evaluate(isWhole)).toBe(true);
  await expect(window.status.getByRole('button', { name: /^Hazards: 1/ })).toBeInViewport({ ratio: 1 });
  await expect(window.status.getByText('bytes wrong')).toBeInViewport({ ratio: 1 });
  await window.open('Strategy B: one stream for each step');
  await expect(window.status).toContainText('D2H with kernel');
  await expect.poll(() => window.status.evaluate(isWhole)).toBe(true);
});
