/** How a page looks in either theme, once nothing moves any more: what axe says of it, and screenshots where they are asked for. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { JSHandle, Locator, Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { expect } from './expect.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Rules whose answer a theme can change. The others ask what is there and what it is named, which is the same in both. */
const ofColours = ['color-contrast', 'link-in-text-block'];

/** For people to look at, and nothing is compared with them: taken where somebody asks for them. */
export const wantsScreenshots = process.env['COPYSCOPE_SCREENSHOTS'] !== undefined;
export const screenshots = join(import.meta.dirname, '../../../test-results/screenshots');

const themes = ['light', 'dark'] as const;
type Theme = (typeof themes)[number];

/** What axe calls serious or critical in the theme that is set, with the elements; by all rules, or by these. */
export async function seriousProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  // Through the debugger, since the page's own policy lets no foreign script in.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe);
  const still = await stillness(page);
  // At once after the wait: on the way here and back something could begin to move.
  const { violations, passes } = await page.evaluate(
    async ([untilStill, runOnly]) => {
      const run = (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run;
      await untilStill();
      return run({ resultTypes: ['violations'], ...(runOnly === undefined ? {} : { runOnly }) });
    },
    [still, rules] as const,
  );
  // A page that axe could not see has no violations either.
  expect(passes.length).toBeGreaterThan(rules === undefined ? 10 : 0);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}

/** The same in each theme. The page stays in the dark one. */
async function problemsByTheme(page: Page): Promise<Record<Theme, string[]>> {
  await follow(page, 'light');
  const light = await seriousProblems(page);
  await follow(page, 'dark');
  return { light, dark: await seriousProblems(page, ofColours) };
}

/** No problem in either theme; and a screenshot of each in either size, with `at` in sight. The page's size stays as it is. */
export async function looksRight(page: Page, name?: string, at?: Locator): Promise<void> {
  const problems = await problemsByTheme(page);
  if (name !== undefined) await takeScreenshots(page, name, at);
  expect(problems).toEqual({ light: [], dark: [] });
}

/** Takes none where nobody asks for them. */
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

/** A wait in the page: colours are what they will be, as a few frames in a row show no transition that will end. */
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

/** As the system's own theme, which the window follows: what is open stays open. */
async function follow(page: Page, theme: Theme): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
}
