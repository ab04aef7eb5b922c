/** How a page looks: what axe says of it, in either theme, once nothing moves any more. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe calls serious or critical, with the elements. */
export async function seriousProblems(page: Page): Promise<string[]> {
  // Through the debugger, since the page's own policy lets no foreign script in.
  await page.evaluate(axe);
  const { violations, passes } = await page.evaluate(async () => {
    const run = (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe;
    return run.run();
  });
  // A page that axe could not see has no violations either.
  expect(passes.length).toBeGreaterThan(10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
}

/** Colours are what they will be: a few frames in a row show no transition that will end. */
export async function transitionsOver(page: Page): Promise<void> {
  await page.evaluate(async () => {
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
export async function follow(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme: theme });
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', theme);
  await transitionsOver(page);
}
