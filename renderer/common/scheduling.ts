import type { InSteps } from '../../core/steps.ts';

/** An action that runs once for several requests. */
interface Debounced {
  /** Requests the action. It runs when no further request has come for a set time. */
  (): void;
  /** Cancels the pending request. */
  readonly cancel: () => void;
}

export function debounced(action: () => void, pauseMs: number): Debounced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const cancel = (): void => clearTimeout(timer);
  const ask = (): void => {
    cancel();
    timer = setTimeout(action, pauseMs);
  };
  return Object.assign(ask, { cancel });
}

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

/** Runs work in steps, and handles waiting messages between them. */
const { port1, port2 } = new MessageChannel();
const waiting: (() => void)[] = [];
port1.onmessage = () => waiting.shift()?.();

/** Resolves after the messages that are waiting now. A timer would take some milliseconds. */
const turn = (): Promise<void> =>
  new Promise((resolve) => {
    waiting.push(resolve);
    port2.postMessage(null);
  });

/** Returns the result, or null if `isWanted` was false after some step. `onStep` receives each step's value. */
export async function inTurns<Result, Step>(
  work: InSteps<Result, Step>,
  isWanted: () => boolean,
  onStep?: (step: Step) => void,
): Promise<Result | null> {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    onStep?.(step.value);
    await turn();
    if (!isWanted()) return null;
  }
}
