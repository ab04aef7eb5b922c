/** An action that runs once for several requests. */
export interface Debounced {
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
