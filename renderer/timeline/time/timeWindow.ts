/**
 * The visible stretch of time and who draws it. It changes with every frame of a zoom, so it lives outside of React:
 * painters are told once a frame, and no component renders because of it unless it asks to.
 */
import { useMemo, useRef, useSyncExternalStore } from 'react';
import { clampView, limitsOf, type TimeView } from './timeView.ts';

type Change = (view: TimeView, limits: TimeView) => TimeView;

export class TimeWindow {
  readonly limits: TimeView;
  /** The time under the pointer, at which keys zoom; null while it is elsewhere. */
  cursor: number | null = null;
  #view: TimeView;
  #frame = 0;
  readonly #listeners = new Set<() => void>();

  /** What was shown of `before` stays as far as it can; where that was everything, everything is shown again. */
  constructor(extentNs: number, before: TimeWindow | null = null) {
    this.limits = limitsOf(extentNs);
    this.#view = before === null || before.isWhole ? this.limits : clampView(before.view, this.limits);
    this.cursor = before?.cursor ?? null;
  }

  /** Whether nothing was zoomed in on. */
  get isWhole(): boolean {
    return this.#view.startNs === this.limits.startNs && this.#view.endNs === this.limits.endNs;
  }

  get view(): TimeView {
    return this.#view;
  }

  /** Moves the view; several moves within one frame are drawn once. */
  readonly move = (change: Change): void => {
    this.#view = clampView(change(this.#view, this.limits), this.limits);
    if (this.#frame === 0) this.#frame = requestAnimationFrame(this.#tell);
  };

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly #tell = (): void => {
    this.#frame = 0;
    for (const listener of this.#listeners) listener();
  };
}

/** What those who draw or move need of it: the comparison hands over a window that is shifted for each run. */
export type SharedTime = Pick<TimeWindow, 'limits' | 'cursor' | 'view' | 'move' | 'subscribe'>;

/** A window on an extent. Where the extent changes, as with an edit, it goes on at the same time and zoom. */
export function useTimeWindow(extentNs: number): TimeWindow {
  const last = useRef<TimeWindow | null>(null);
  return useMemo(() => {
    last.current = new TimeWindow(extentNs, last.current);
    return last.current;
  }, [extentNs]);
}

/** For components that show the view themselves, and so render with every frame of a zoom. */
export const useShownView = (time: TimeWindow): TimeView => useSyncExternalStore(time.subscribe, () => time.view);
