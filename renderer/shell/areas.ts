/** F6 goes from one part of the window to the next, as in browsers and desktops. Tabbing through lists is slow. */
import { useEffect } from 'react';

/** Parts in F6 order. Parts that the page lacks are skipped. */
const areas = [
  'section[aria-label="Library"]',
  'section[aria-label="Lesson"]',
  'section[aria-label="Build"]',
  'section[aria-label="Plan"]',
  '[role="toolbar"][aria-label="Score tools"]',
  'section[aria-label="Score"]',
  'section[aria-label="JSON"]',
  'section[aria-label="Code"]',
  'section[aria-label="Before and after"]',
  'section[aria-label="Comparison"]',
  'section[aria-label="Differences"]',
  'section[aria-label="Timeline"]',
  'section[aria-label="Inspector"]',
  'section[aria-label="Status"]',
  'header',
] as const;

/** The whole page, for pages without these parts, such as the list of lessons. */
const page = '[data-page]';

const focusable = 'button:not(:disabled), [href], input:not(:disabled), textarea, [tabindex="0"]';

/** Element that gets the focus in an area: the open item, the cursor's cell, or the first focusable element. */
const beginnings = ['[aria-current="page"]', '[data-cursor]', focusable];

/** Notes the area that the user is in. */
export function useReachedArea(): void {
  useEffect(() => {
    window.addEventListener('focusin', onReached);
    window.addEventListener('pointerdown', onReached);
    return () => {
      window.removeEventListener('focusin', onReached);
      window.removeEventListener('pointerdown', onReached);
    };
  }, []);
}

/** Element focused last in each area, to which F6 returns. */
const last = new WeakMap<Element, HTMLElement>();

/** Area focused or pressed last. */
let reached: Element | null = null;

function onReached({ target }: Event): void {
  // The element may be gone when its area isn't.
  if (target instanceof Element) reached = areasNow().findLast((area) => area.contains(target)) ?? reached;
}

export function goToArea(way: 1 | -1): void {
  const found = areasNow();
  const { activeElement } = document;
  // Nothing has the focus if the focused element was removed, such as a plan's progress once there is a plan.
  const from = activeElement === document.body ? reached : activeElement;
  // The innermost area counts: a lesson's building blocks replace its text.
  const here = found.findLastIndex((area) => area.contains(from));
  const left = found[here];
  if (left !== undefined && activeElement instanceof HTMLElement) last.set(left, activeElement);
  const start = here < 0 && way < 0 ? 0 : here;
  for (let step = 1; step <= found.length; step += 1) {
    const area = found[(start + way * step + found.length * 2) % found.length];
    const target = area === undefined ? null : beginningOf(area);
    target?.focus();
    if (target !== null && document.activeElement === target) return;
  }
}

function areasNow(): HTMLElement[] {
  const found = areas.flatMap((area) => document.querySelector<HTMLElement>(area) ?? []);
  const centre = document.querySelector<HTMLElement>(page);
  if (centre === null || found.some((area) => centre.contains(area))) return found;
  // The centre comes between the panel on its left and everything after it.
  const at = found.findIndex((area) => (centre.compareDocumentPosition(area) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0);
  const place = at < 0 ? found.length : at;
  return [...found.slice(0, place), centre, ...found.slice(place)];
}

function beginningOf(area: HTMLElement): HTMLElement | null {
  const known = last.get(area);
  if (known?.isConnected === true) return known;
  for (const beginning of beginnings) {
    const element = area.querySelector<HTMLElement>(beginning);
    if (element !== null) return element;
  }
  // A panel that scrolls, or has nothing to press, can have the focus itself.
  return area.hasAttribute('tabindex') ? area : null;
}
