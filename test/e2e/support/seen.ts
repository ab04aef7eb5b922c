/** Watches for elements that are shown for seconds only, so that a slow test sees them too. */
import type { Locator } from '@playwright/test';

/**
 * Watches this element from now on, or those in it that a CSS selector finds. Returns a function that waits until a
 * changed element with such a label or text has been visible.
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
      // An object, since the caller would await a plain promise.
      return { hasCome };
    },
    [name.source, selector] as const,
  );
  return () => watch.evaluate(({ hasCome }) => hasCome);
}
