/** What has the focus may go with what is done: whoever works by keys then goes on in the same part of the window. */

/** Called before it is done. Gives what to call when that is drawn. */
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
