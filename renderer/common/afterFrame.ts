/** A hidden window draws no frames. */
const mostWaitMs = 120;

/** Calls `action` once the next frame has been drawn and the window is at rest, or soon. Returns what calls it off. */
export function afterFrame(action: () => void): () => void {
  let off = false;
  const once = (): void => {
    if (off) return;
    off = true;
    clearTimeout(timer);
    action();
  };
  const timer = setTimeout(once, mostWaitMs);
  // The frame itself comes after its callbacks; a task that begins in one runs when it has been handed on.
  requestAnimationFrame(() => whenIdle(once, mostWaitMs));
  return () => {
    off = true;
    clearTimeout(timer);
  };
}

/** Calls `action` in the frame after the next one, so that it is drawn with that, or soon. Returns what calls it off. */
export function inSecondFrame(action: () => void): () => void {
  let frame = requestAnimationFrame(() => {
    frame = requestAnimationFrame(once);
  });
  const timer = setTimeout(once, mostWaitMs);
  function off(): void {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  }
  function once(): void {
    off();
    action();
  }
  return off;
}

/** Soon, but not before what is more urgent is on screen; after so many milliseconds at the latest. Returns what calls it off. */
export function whenIdle(action: () => void, mostMs: number): () => void {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(action, mostMs / 3);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(action, { timeout: mostMs });
  return () => cancelIdleCallback(handle);
}
