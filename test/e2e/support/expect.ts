/**
 * Playwright's expect describes the whole page each time that it finds no element yet, for a message that is shown at
 * most once. That took a fifteenth of the pages' script time; so this one waits for the element first.
 */
import { type ExpectMatcherState, type Locator, expect as playwright } from '@playwright/test';

interface Answer {
  readonly pass: boolean;
  readonly message: () => string;
}
type Options = { readonly timeout?: number } | undefined;

async function whenThere(
  { isNot, timeout }: ExpectMatcherState,
  locator: Locator,
  options: Options,
  ask: (expected: ReturnType<typeof playwright<Locator>>) => Promise<void>,
): Promise<Answer> {
  const there = { state: 'attached', timeout: options?.timeout ?? timeout } as const;
  // Playwright's own matcher reports why the element didn't appear.
  if (!isNot) await locator.waitFor(there).catch(() => {});
  try {
    await ask(isNot ? playwright(locator).not : playwright(locator));
    return { pass: !isNot, message: () => '' };
  } catch (error) {
    return { pass: isNot, message: () => (error as Error).message };
  }
}

export const expect = playwright.extend({
  toBeVisible(locator: Locator, options?: Options): Promise<Answer> {
    return whenThere(this, locator, options, (expected) => expected.toBeVisible(options));
  },
  toContainText(locator: Locator, text: string | RegExp, options?: Options): Promise<Answer> {
    return whenThere(this, locator, options, (expected) => expected.toContainText(text, options));
  },
});
