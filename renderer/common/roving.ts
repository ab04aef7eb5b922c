/** Makes the buttons of a toolbar or list one stop of Tab. Arrow keys move between them, as ARIA's patterns have it. */
import { type RefObject, useEffect } from 'react';

const buttons = 'button:not(:disabled), a[href]';
const lines = 'li, h2, h3, [data-line]';

/** Returns the button that a key leads to. Up and down go to the first button of another line. */
function nextOf(all: readonly HTMLElement[], from: HTMLElement, key: string): HTMLElement | undefined {
  const index = all.indexOf(from);
  const lineOf = (one: HTMLElement | undefined): Element | null => one?.closest(lines) ?? null;
  const own = lineOf(from);
  switch (key) {
    case 'ArrowRight':
      return all[index + 1];
    case 'ArrowLeft':
      return all[index - 1];
    case 'ArrowDown':
      return all.slice(index + 1).find((one) => lineOf(one) !== own);
    case 'ArrowUp': {
      const above = lineOf(all.slice(0, index).findLast((one) => lineOf(one) !== own));
      return above === null ? undefined : all.find((one) => lineOf(one) === above);
    }
    case 'Home':
      return all[0];
    case 'End':
      return all.at(-1);
    default:
      return undefined;
  }
}

/** The open item, or else the first button, is the stop until another button was focused. Fields keep their keys. */
export function useRoving(ref: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    let stop: HTMLElement | null = null;
    const all = (): HTMLElement[] => [...element.querySelectorAll<HTMLElement>(buttons)];
    const update = (): void => {
      const found = all();
      const isIn = element.contains(document.activeElement);
      const open = element.querySelector<HTMLElement>('[aria-current="page"]');
      const kept = stop !== null && found.includes(stop) ? stop : undefined;
      stop = (isIn ? kept : undefined) ?? open ?? kept ?? found[0] ?? null;
      for (const one of found) one.tabIndex = one === stop ? 0 : -1;
    };
    const onFocus = ({ target }: FocusEvent): void => {
      if (!(target instanceof HTMLElement) || !target.matches(buttons)) return;
      if (stop !== null) stop.tabIndex = -1;
      stop = target;
      stop.tabIndex = 0;
    };
    const onKey = (event: KeyboardEvent): void => {
      const { target } = event;
      if (!(target instanceof HTMLElement) || !target.matches(buttons) || event.defaultPrevented) return;
      if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      const next = nextOf(all(), target, event.key);
      if (next === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      next.focus();
    };
    update();
    const observer = new MutationObserver(update);
    observer.observe(element, { childList: true, subtree: true, attributeFilter: ['disabled', 'aria-current'] });
    element.addEventListener('focusin', onFocus);
    element.addEventListener('keydown', onKey);
    return () => {
      observer.disconnect();
      element.removeEventListener('focusin', onFocus);
      element.removeEventListener('keydown', onKey);
    };
  }, [ref]);
}
