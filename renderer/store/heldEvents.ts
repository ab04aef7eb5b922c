/** Holds the host's events while a window is filled, since the answer that fills it may be older than they are. */
import type { WindowEvents } from '../../core/service/service.ts';

interface HeldEvents {
  readonly events: WindowEvents;
  /** Passes all held events on in their order, and later ones at once. */
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
