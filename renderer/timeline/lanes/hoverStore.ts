/** What the pointer is on, outside of React's state: only the hover card renders when it moves. */
import { useSyncExternalStore } from 'react';
import type { Hit } from './hitTest.ts';

export interface Hover {
  readonly hit: Hit;
  readonly x: number;
  readonly y: number;
}

export class HoverStore {
  #hover: Hover | null = null;
  readonly #listeners = new Set<() => void>();

  get current(): Hover | null {
    return this.#hover;
  }

  readonly set = (hover: Hover | null): void => {
    if (hover === this.#hover) return;
    this.#hover = hover;
    for (const listener of this.#listeners) listener();
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };
}

export const useHover = (store: HoverStore): Hover | null => useSyncExternalStore(store.subscribe, () => store.current);
