/** F6 goes from one part of the window to the next, as in browsers and desktops: without it, lists are long to tab through. */
import { useEffect } from 'react';

/** In the order in which F6 goes through them. */
const areas = [
  'section[aria-label="Library"]',
  'section[aria-label="Lesson"]',
  '[data-testid="score"]',
  'section[aria-label="Timeline"]',
  'section[aria-label="Inspector"]',
  'header',
] as const;

const focusable = 'button:not(:disabled), [href], input:not(:disabled), textarea, [tabindex="0"]';

export function useAreaKeys(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'F6' || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
      event.preventDefault();
      goToArea(event.shiftKey ? -1 : 1);
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, []);
}

/** What was focused last in each, so that coming back goes on where one was. */
const last = new WeakMap<Element, HTMLElement>();

function goToArea(way: 1 | -1): void {
  const found = areas.flatMap((area) => document.querySelector<HTMLElement>(area) ?? []);
  const { activeElement } = document;
  const here = found.findIndex((area) => area.contains(activeElement));
  const left = found[here];
  if (left !== undefined && activeElement instanceof HTMLElement) last.set(left, activeElement);
  const start = here < 0 && way < 0 ? 0 : here;
  for (let step = 1; step <= found.length; step += 1) {
    const area = found[(start + way * step + found.length * 2) % found.length];
    const known = area === undefined ? undefined : last.get(area);
    const target = known?.isConnected ? known : area?.querySelector<HTMLElement>(`[aria-current="page"], ${focusable}`);
    target?.focus();
    if (target !== undefined && target !== null && document.activeElement === target) return;
  }
}
