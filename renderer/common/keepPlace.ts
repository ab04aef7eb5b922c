/** An action may remove the focused element. These functions then keep the focus in the same part of the window. */

/** Called before the action. Returns a function to call when the result is drawn. */
export function keepFocus(): () => void {
  const before = document.activeElement;
  const panel = before?.closest<HTMLElement>('section[tabindex]') ?? null;
  return () => {
    const isLost = document.activeElement === document.body && before !== document.body;
    if (!isLost) return;
    const cell = document.querySelector<HTMLElement>('[data-cursor]');
    (panel?.isConnected === true ? panel : cell)?.focus({ preventScroll: true });
  };
}

/** Leaves the field being typed into for a moment, so that it keeps its text. Returns it, or null if there is none. */
export function leaveTyped(): HTMLElement | null {
  const field = document.activeElement;
  if (!(field instanceof HTMLElement) || field.dataset['typed'] === undefined) return null;
  field.blur();
  field.focus({ preventScroll: true });
  return field;
}

/** If a focused list item of the library is deleted, the focus moves to the next item. */

const sectionOf = (name: string): string => `section[aria-label="${name}"]`;

/** The lists drop the item when the host announces the deletion, at once or some frames after its answer. */
const mostWaitMs = 10_000;

/** Called before the deletion. Returns a function to call after it. */
export function keepPlace(): () => void {
  const line = document.activeElement?.closest<HTMLElement>('[data-item]') ?? null;
  const section = line?.closest('section')?.getAttribute('aria-label');
  const lines = [...(line?.parentElement?.querySelectorAll<HTMLElement>('[data-item]') ?? [])];
  const at = line === null ? 0 : lines.indexOf(line);
  // The page and its elements may be others by then, so keys are kept.
  const keys = [...lines.slice(at + 1), ...lines.slice(0, at).reverse()].map(({ dataset }) => dataset['item'] ?? '');
  const goOn = (): void => {
    if (document.activeElement !== document.body) return;
    const places = keys.map((key) => `[data-item="${CSS.escape(key)}"] button`);
    for (const place of [...places, `${sectionOf('Library')} ${sectionOf(section ?? '')} button`]) {
      const target = document.querySelector<HTMLElement>(place);
      if (target === null) continue;
      target.focus();
      return;
    }
  };
  return () => {
    if (line !== null) whenGone(line, goOn);
  };
}

function whenGone(line: Element, act: () => void): void {
  if (!line.isConnected) {
    act();
    return;
  }
  const observer = new MutationObserver(() => {
    if (line.isConnected) return;
    observer.disconnect();
    act();
  });
  observer.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), mostWaitMs);
}
