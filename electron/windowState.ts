/** The window's place, kept between starts, and checked against the current displays. */
import { readFileSync } from 'node:fs';
import type { Rectangle } from 'electron';
import { z } from 'zod';
import { writeWholeSync } from '../host/files/files.ts';

const coordinate = z.number().int().min(-100_000).max(100_000);
const extent = z.number().int().min(1).max(100_000);

/** Values of Electron's nativeTheme.themeSource. */
export const themes = ['system', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const windowStateSchema = z.strictObject({
  bounds: z.strictObject({ x: coordinate, y: coordinate, width: extent, height: extent }),
  maximized: z.boolean(),
  theme: z.enum(themes).default('system'),
});

export type WindowState = z.infer<typeof windowStateSchema>;

export const smallestSize = { width: 960, height: 600 };
export const usualSize = { width: 1440, height: 900 };

/** This much of the window's top must be on a display, so that it can be seen and dragged. */
const visibleTop = { width: 160, height: 40 };

/** Returns the saved state, or null if there is none that can be read. */
export function readWindowState(file: string): WindowState | null {
  try {
    return windowStateSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    return null;
  }
}

/** Saves whole or not at all. */
export function writeWindowState(file: string, state: WindowState): void {
  writeWholeSync(file, `${JSON.stringify(windowStateSchema.parse(state))}\n`);
}

/** Returns the bounds to open with: the saved ones if a display still shows them, else the usual size. */
export function usableBounds(
  saved: WindowState | null,
  workAreas: readonly Rectangle[],
): Partial<Rectangle> & { width: number; height: number } {
  const bounds = saved?.bounds;
  const area = bounds && workAreas.find((one) => showsTop(one, bounds));
  if (bounds === undefined || area === undefined) return usualSize;
  // The display may have become smaller.
  const width = Math.max(Math.min(bounds.width, area.width), smallestSize.width);
  const height = Math.max(Math.min(bounds.height, area.height), smallestSize.height);
  return { x: bounds.x, y: bounds.y, width, height };
}

function showsTop(area: Rectangle, bounds: Rectangle): boolean {
  const left = Math.max(area.x, bounds.x);
  const right = Math.min(area.x + area.width, bounds.x + bounds.width);
  const topIsInside = bounds.y >= area.y && bounds.y + visibleTop.height <= area.y + area.height;
  return topIsInside && right - left >= visibleTop.width;
}
