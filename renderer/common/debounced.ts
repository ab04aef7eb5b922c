/** An action that many ask for and that is done once. */
export interface Debounced {
  /** Asks for the action: it is done when nobody has asked again for so long. */
  (): void;
  /** Calls off what is asked for. */
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
