/**
 * A page with other panels makes all of them anew, and what had the focus goes with them. Who opened it by keys goes on at
 * its line in the library, or at the beginning of the page.
 */
import { useEffect, useRef } from 'react';

const library = 'section[aria-label="Library"]';

/** `place` is another one wherever what had the focus may have gone with the page before. */
export function usePageFocus(place: string): void {
  const last = useRef<{ readonly element: Element; readonly inLibrary: boolean } | null>(null);
  useEffect(() => {
    const note = ({ target }: FocusEvent): void => {
      if (target instanceof Element) last.current = { element: target, inLibrary: target.closest(library) !== null };
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is for each place that is gone to.
  useEffect(() => {
    if (last.current === null || last.current.element.isConnected || document.activeElement !== document.body) return;
    const target = last.current.inLibrary ? `${library} [aria-current="page"]` : '[data-page]';
    document.querySelector<HTMLElement>(target)?.focus({ preventScroll: true });
  }, [place]);
}
