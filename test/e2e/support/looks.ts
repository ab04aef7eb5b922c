/** Problems that axe finds in a page at rest. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, type JSHandle, type Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Returns the serious and critical problems of axe in the current theme, with elements. */
export async function seriousProblems(page: Page): Promise<string[]> {
  // Uses the debugger, since the page's policy admits no foreign script.
  if (await page.evaluate(() => !('axe' in globalThis))) await page.evaluate(axe);
  const still = await stillness(page);
  // Runs in the page right after the wait: between two calls something could begin to move.
  const { violations, passes } = await page.evaluate(async (untilStill) => {
    const run = (globalThis as unknown as { axe: { run: (options: object) => Promise<AxeResults> } }).axe.run;
    await untilStill();
    return run({ resultTypes: ['violations'] });
  }, still);
  // A page that axe couldn't see has no violations either.
  expect(passes.length).toBeGreaterThan(10);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary ?? ''}`));
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
