/**
 * A page with other panels recreates all of them, and the focused element disappears. The focus then goes to the page's
 * line in the library if it was there, else to the page.
 */
import { useEffect, useRef } from 'react';

const library = 'section[aria-label="Library"]';

/** `place` changes whenever the focused element may have gone with the previous page. */
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
