const typedInto = 'input, select, textarea, [contenteditable]';

/**
 * Calls `action` before the next press of the pointer, the next click or the next character that is typed, and before a
 * field gets the focus: what is touched then is what `action` leaves there. Returns what calls it off.
 */
export function onTouch(action: () => void): () => void {
  const stop = new AbortController();
  const options = { capture: true, signal: stop.signal };
  window.addEventListener('pointerdown', action, options);
  // That of a screen reader comes without a pointer.
  window.addEventListener('click', action, options);
  window.addEventListener('beforeinput', action, options);
  window.addEventListener(
    'focusin',
    ({ target }) => {
      if (target instanceof Element && target.matches(typedInto)) action();
    },
    options,
  );
  return () => stop.abort();
}
