/**
 * The visible stretch of time and who draws it. It changes with every frame of a zoom, so it lives outside of React:
 * painters are told once a frame, and no component renders because of it unless it asks to.
 */
import { useMemo, useSyncExternalStore } from 'react';
import { clampView, limitsOf, type TimeView } from './timeView.ts';

type Change = (view: TimeView, limits: TimeView) => TimeView;

export class TimeWindow {
  readonly limits: TimeView;
  /** The time under the pointer, at which keys zoom; null while it is elsewhere. */
  cursor: number | null = null;
  #view: TimeView;
  #frame = 0;
  readonly #listeners = new Set<() => void>();

  constructor(extentNs: number) {
    this.limits = limitsOf(extentNs);
    this.#view = this.limits;
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

/** A window on an extent. It starts anew when the extent changes, since then something else is shown. */
export const useTimeWindow = (extentNs: number): TimeWindow => useMemo(() => new TimeWindow(extentNs), [extentNs]);

/** For components that show the view themselves, and so render with every frame of a zoom. */
export const useShownView = (time: TimeWindow): TimeView => useSyncExternalStore(time.subscribe, () => time.view);
