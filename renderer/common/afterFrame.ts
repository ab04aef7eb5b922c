/** Longest wait, since a hidden window draws no frames. */
const mostWaitMs = 120;

/** Calls `action` when the next frame is drawn and the window is idle, or soon. Returns a function that cancels it. */
export function afterFrame(action: () => void): () => void {
  let off = false;
  const once = (): void => {
    if (off) return;
    off = true;
    clearTimeout(timer);
    action();
  };
  const timer = setTimeout(once, mostWaitMs);
  // The frame comes after its callbacks; a task that one of them starts runs when the frame is handed on.
  requestAnimationFrame(() => whenIdle(once, mostWaitMs));
  return () => {
    off = true;
    clearTimeout(timer);
  };
}

/** Calls `action` in the second frame from now, or soon, so that the frame shows it. Returns a function to cancel. */
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

/** Calls `action` when the window is idle, after `mostMs` at the latest. Returns a function that cancels it. */
export function whenIdle(action: () => void, mostMs: number): () => void {
  // Safari has no idle callbacks.
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(action, mostMs / 3);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(action, { timeout: mostMs });
  return () => cancelIdleCallback(handle);
}
