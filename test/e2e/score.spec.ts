/** The score keeps unsaved changes. */
import { expect, test } from './support/test.ts';

test('changes that were not saved survive the end of the window', async ({ window, page, server }) => {
  await window.open('Pinned source, second stream');
  const sheet = page.getByTestId('score-sheet');
  await sheet.locator('[data-op="0"]').click();
  await page.keyboard.press('Control+d');
  await expect(sheet).toHaveAttribute('data-operations', '8');
  await expect.poll(() => page.evaluate(() => JSON.stringify(localStorage))).toContain('draft:experiment:');
  // A second window on the same storage, while the first is closed without notice.
  const context = page.context();
  const { hash } = new URL(page.url());
  await page.goto('about:blank');
  const again = await context.newPage();
  await again.goto((await server.address()) + hash);
  await expect(again.getByTestId('score-sheet')).toHaveAttribute('data-operations', '8');
  await expect(again.getByText('Not saved')).toBeVisible();
});
