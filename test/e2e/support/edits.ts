/** Edits of the open experiment by keyboard. */
import { expect, type Page } from '@playwright/test';

export const sheet = (page: Page) => page.getByTestId('score-sheet');
export const operations = (page: Page): Promise<number> =>
  sheet(page)
    .getAttribute('data-operations')
    .then((count) => Number(count));

/** Makes `edits` edits. Returns the number of operations after them. */
export async function edit(page: Page, edits: number): Promise<number> {
  let count = await operations(page);
  for (let number = 0; number < edits; number += 1) {
    count += 1;
    await page.keyboard.press('Control+d');
    await expect(sheet(page)).toHaveAttribute('data-operations', String(count));
  }
  return count;
}
