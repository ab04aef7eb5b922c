const typedInto = 'input, select, textarea, [contenteditable]';

const actions = new Set<() => void>();
let isWatching = false;

/**
 * Calls `action` before the next press of the pointer, the next click or the next character that is typed, and before a
 * field gets the focus: what is touched then is what `action` leaves there. Returns what calls it off.
 */
export function onTouch(action: () => void): () => void {
  watch();
  actions.add(action);
  return () => actions.delete(action);
}

/** Once for the window: an edit waits for whatever it has to begin itself. */
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  window.addEventListener('pointerdown', touched, true);
  // That of a screen reader comes without a pointer.
  window.addEventListener('click', touched, true);
  window.addEventListener('beforeinput', touched, true);
  const onFocus = ({ target }: FocusEvent): void => {
    if (target instanceof Element && target.matches(typedInto)) touched();
  };
  window.addEventListener('focusin', onFocus, true);
}

function touched(): void {
  for (const action of actions) action();
}
