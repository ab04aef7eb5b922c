/** Commands for the browser that a page can't do itself: real keys, and a mouse that moves. */

import type {} from '@vitest/browser-playwright';
import type { BrowserCommand } from 'vitest/node';
import { steps } from '../../unit/import/recorded/recordingBytes.ts';

type Point = readonly [x: number, y: number];

const press: BrowserCommand<[keys: readonly string[]]> = async ({ page }, keys) => {
  for (const key of keys) await page.keyboard.press(key);
};

const insertText: BrowserCommand<[text: string]> = ({ page }, text) => page.keyboard.insertText(text);

/**
 * Moves the mouse along points of the tested page. `width` is the page's, since its frame may be scaled. With `isDrag`
 * the button is pressed from the first point to the last.
 */
const mouse: BrowserCommand<[points: readonly Point[], isDrag: boolean, width: number]> = async (
  { page, iframe },
  points,
  isDrag,
  width,
) => {
  const frame = await iframe.owner().boundingBox();
  if (frame === null) throw new Error('the tested page is not on screen');
  const scale = frame.width / width;
  for (const [number, [x, y]] of points.entries()) {
    await page.mouse.move(frame.x + x * scale, frame.y + y * scale, { steps: number === 0 ? 2 : 4 });
    if (isDrag && number === 0) await page.mouse.down();
  }
  if (isDrag) await page.mouse.up();
};

/** Returns the bytes of a recording of `count` steps, as copyscope record writes it. */
const recording: BrowserCommand<[count: number]> = (_, count) => [...steps(count).bytes()];

/** Sets the theme of the system, which the window follows. */
const colourScheme: BrowserCommand<[scheme: 'light' | 'dark']> = ({ page }, scheme) =>
  page.emulateMedia({ colorScheme: scheme });

/** Saves a picture of the tested page in test-results/screenshots if COPYSCOPE_SCREENSHOTS is set. */
const picture: BrowserCommand<[name: string]> = async ({ iframe }, name) => {
  if (process.env['COPYSCOPE_SCREENSHOTS'] === undefined) return;
  await iframe.locator('body').screenshot({ path: `test-results/screenshots/${name}.png` });
};

export const commands = { press, insertText, mouse, recording, colourScheme, picture };

declare module 'vitest/browser' {
  interface BrowserCommands {
    press(keys: readonly string[]): Promise<void>;
    insertText(text: string): Promise<void>;
    recording(count: number): Promise<number[]>;
    colourScheme(scheme: 'light' | 'dark'): Promise<void>;
    picture(name: string): Promise<void>;
    mouse(points: readonly Point[], isDrag: boolean, width: number): Promise<void>;
  }
}
