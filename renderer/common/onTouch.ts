const typedInto = 'input, select, textarea, [contenteditable]';

const actions = new Set<() => void>();
let isWatching = false;

/**
 * Calls `action` before the next pointer press, click, typed character or focused field, so that the touched element is
 * as `action` leaves it. Returns a function that cancels it.
 */
export function onTouch(action: () => void): () => void {
  watch();
  actions.add(action);
  return () => actions.delete(action);
}

/** Adds the listeners once for the window, since edits would wait for them. */
function watch(): void {
  if (isWatching) return;
  isWatching = true;
  window.addEventListener('pointerdown', touched, true);
  // A click from a screen reader comes without a pointer.
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
