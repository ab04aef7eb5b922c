/** Checks the look of a page at rest in both themes: problems that axe finds, and screenshots if requested. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { JSHandle, Locator, Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expect } from './expect.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose result can depend on the theme. The others check elements and names, which are the same in both. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** Screenshots are for people; no test compares them. */
export const wantsScreenshots = process.env['COPYSCOPE_SCREENSHOTS'] !== undefined;
export const screenshots = join(import.meta.dirname, '../../../test-results/screenshots');

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** Returns the serious and critical problems of axe in the current theme, with elements; by all rules or these. */
export async function seriousProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Uses the debugger, since the page's policy admits no foreign script.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe);
  const still = await stillness(page);
  // Runs in the page right after the wait: between two calls something could begin to move.
  const { violations, passes } = await page.evaluate(
    async ([untilStill, runOnly]) => {
      const run = (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run;
      await untilStill();
      return run({ resultTypes: ['violations'], ...(runOnly === undefined ? {} : { runOnly }) });
    },
    [still, rules] as const,
  );
  // A page that axe couldn't see has no violations either.
  expect(passes.length).toBeGreaterThan(rules === undefined ? 10 : 0);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}

/** Returns the problems in each theme. Leaves the page in the dark one. */
async function problemsByTheme(page: Page): Promise<Record<Theme, string[]>> {
  await follow(page, 'light');
  const light = await seriousProblems(page);
  await follow(page, 'dark');
  return { light, dark: await seriousProblems(page, ofColours) };
}

/** Expects no problem in either theme, and takes screenshots of each in both sizes, with `at` in sight. */
export async function looksRight(page: Page, name?: string, at?: Locator): Promise<void> {
  const problems = await problemsByTheme(page);
  if (name !== undefined) await takeScreenshots(page, name, at);
  expect(problems).toEqual({ light: [], dark: [] });
}

/** Takes screenshots if requested. */
async function takeScreenshots(page: Page, name: string, at?: Locator): Promise<void> {
  const before = page.viewportSize();
  if (!wantsScreenshots || before === null) return;
  for (const { width, height } of [
    { width: 1280, height: 800 },
    { width: 1920, height: 1080 },
  ]) {
    await page.setViewportSize({ width, height });
    await at?.scrollIntoViewIfNeeded();
    for (const theme of themes) {
      await follow(page, theme);
      await (await stillness(page)).evaluate((untilStill) => untilStill());
      const file = `${name.replaceAll(' ', '-')}-${theme}-${width}x${height}.png`;
      await page.screenshot({ path: join(screenshots, file) });
    }
  }
  await page.setViewportSize(before);
}

/** Returns a wait in the page: for a few frames without a finite transition, so that colours are final. */
function stillness(page: Page): Promise<JSHandle<() => Promise<void>>> {
  return page.evaluateHandle(() => async (): Promise<void> => {
    const isOver = (): boolean =>
      document
        .getAnimations()
        .every(({ playState, effect }) => playState !== 'running' || effect?.getTiming().iterations === Infinity);
    for (let still = 0; still < 5; still = isOver() ? still + 1 : 0) {
      await new Promise((resolve) => requestAnimationFrame(resolve));
    }
  });
}

/** Sets the system's theme, which the window follows: open dialogs stay open. */
async function follow(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
}
