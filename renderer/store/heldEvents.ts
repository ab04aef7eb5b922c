/** What the host tells while a window is being filled: an answer that fills it may be older than what was told since. */
import type { WindowEvents } from '../../core/service/service.ts';

interface HeldEvents {
  readonly events: WindowEvents;
  /** Tells `events` all that was held, in its order. From then on it hears at once. */
  release(): void;
}

export function holdEvents(events: WindowEvents): HeldEvents {
  let held: (() => void)[] | null = [];
  const holding = Object.entries(events).map(([name, tell]: [string, (...args: never[]) => void]) => [
    name,
    (...args: never[]): void => {
      if (held === null) tell(...args);
      else held.push(() => tell(...args));
    },
  ]);
  return {
    events: Object.fromEntries(holding),
    release: () => {
      const told = held ?? [];
      held = null;
      for (const tell of told) tell();
    },
  };
}
