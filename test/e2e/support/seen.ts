/** What shows itself for seconds only: watched from before it can come, it is seen however late a test looks. */
import type { Locator } from '@playwright/test';

/**
 * Watches this element from now on, or those in it that a CSS selector finds. What it gives waits until one of them has been
 * visible, after some change in there, under such a name: its label or else its text.
 */
export async function seen(where: Locator, name: RegExp, selector?: string): Promise<() => Promise<void>> {
  const watch = await where.evaluateHandle(
    (root, [source, inside]) => {
      const wanted = new RegExp(source);
      const isSeen = (element: Element): boolean =>
        wanted.test(element.getAttribute('aria-label') ?? element.textContent ?? '') && element.checkVisibility();
      const hasCome = new Promise<void>((resolve) => {
        const observer = new MutationObserver(() => {
          const elements = inside === undefined ? [root] : [...root.querySelectorAll(inside)];
          if (!elements.some(isSeen)) return;
          observer.disconnect();
          resolve();
        });
        observer.observe(root, { childList: true, subtree: true, characterData: true, attributes: true });
      });
      // In an object: who is given a promise waits for it.
      return { hasCome };
    },
    [name.source, selector] as const,
  );
  return () => watch.evaluate(({ hasCome }) => hasCome);
}
