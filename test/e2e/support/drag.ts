import type { Locator, Page } from '@playwright/test';

/** Drags a block down by a number of pixels, with several moves, like a hand. */
export async function dragDown(page: Page, block: Locator, pixels: number): Promise<void> {
  const box = await block.boundingBox();
  if (box === null) throw new Error('there is no such block');
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  await page.mouse.move(x, y + pixels / 2, { steps: 4 });
  await page.mouse.move(x, y + pixels, { steps: 4 });
  await page.mouse.up();
}
