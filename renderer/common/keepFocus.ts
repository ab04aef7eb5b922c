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
