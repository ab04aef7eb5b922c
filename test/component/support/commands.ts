/** What a test asks of the browser that the page can't do itself: real keys, and a mouse that moves. */

import type {} from '@vitest/browser-playwright';
import type { BrowserCommand } from 'vitest/node';

type Point = readonly [x: number, y: number];

const press: BrowserCommand<[keys: readonly string[]]> = async ({ page }, keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

const insertText: BrowserCommand<[text: string]> = ({ page }, text) => page.keyboard.insertText(text);

/** Moves the mouse along points of the tested page; it is pressed at the first and let go of at the last if `isDrag`. */
const mouse: BrowserCommand<[points: readonly Point[], isDrag: boolean]> = async ({ page, iframe }, points, isDrag) => {
  const frame = await iframe.owner().boundingBox();
  if (frame === null) throw new Error('the tested page is not on screen');
  for (const [number, [x, y]] of points.entries()) {
    await page.mouse.move(frame.x + x, frame.y + y, { steps: number === 0 ? 1 : 4 });
    if (isDrag && number === 0) await page.mouse.down();
  }
  if (isDrag) await page.mouse.up();
};

export const commands = { press, insertText, mouse };

declare module 'vitest/browser' {
  interface BrowserCommands {
    press(keys: readonly string[]): Promise<void>;
    insertText(text: string): Promise<void>;
    mouse(points: readonly Point[], isDrag: boolean): Promise<void>;
  }
}
