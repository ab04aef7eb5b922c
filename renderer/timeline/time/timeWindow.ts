/**
 * The visible time range and its painters. It changes with every frame of a zoom, so it lives outside of React:
 * painters are called once a frame, and components render only if they subscribe.
 */
import { useMemo, useRef, useSyncExternalStore } from 'react';
import { Listeners } from '../../common/listeners.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { loadedRun } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { clampView, limitsOf, type TimeView } from './timeView.ts';

type Change = (view: TimeView, limits: TimeView) => TimeView;

export class TimeWindow {
  readonly limits: TimeView;
  /** The time under the pointer, at which keys zoom; null while the pointer is elsewhere. */
  cursor: number | null = null;
  #view: TimeView;
  #frame = 0;
  readonly #listeners = new Listeners();
  readonly subscribe = this.#listeners.subscribe;

  /** Keeps the visible range of `before` as far as possible; if that was everything, everything is shown again. */
  constructor(extentNs: number, before: TimeWindow | null = null) {
    this.limits = limitsOf(extentNs);
    this.#view = before === null || before.isWhole ? this.limits : clampView(before.view, this.limits);
    this.cursor = before?.cursor ?? null;
  }

  /** True if nothing is zoomed in on. */
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

  readonly #tell = (): void => {
    this.#frame = 0;
    this.#listeners.tell();
  };
}

/** The part that painters and movers need. The comparison passes a window that is shifted for each run. */
export type SharedTime = Pick<TimeWindow, 'limits' | 'cursor' | 'view' | 'move' | 'subscribe'>;

/** Returns a window on an extent. If the extent changes, as with an edit, it keeps time and zoom. */
export function useTimeWindow(extentNs: number): TimeWindow {
  const last = useRef<TimeWindow | null>(null);
  return useMemo(() => {
    last.current = new TimeWindow(extentNs, last.current);
    return last.current;
  }, [extentNs]);
}

/** Returns the view for components that show it, and so render with every frame of a zoom. */
export const useShownView = (time: TimeWindow): TimeView => useSyncExternalStore(time.subscribe, () => time.view);

/** Parts around the lanes, drawn a frame later and only if their own content changed. */
export interface FollowingProps {
  /** The run when its timeline was opened. */
  readonly first: LoadedRun;
  /** Moves whichever time window is shown. */
  readonly time: Pick<TimeWindow, 'move' | 'view'>;
}

/** Returns the shown run for components that are drawn a frame later. */
export function useFollowedRun(first: LoadedRun): { readonly run: LoadedRun; readonly view: IterationView } {
  const run = useApp((state) => loadedRun(state, first.id)) ?? first;
  const iteration = useApp((state) => state.iteration);
  return useMemo(() => ({ run, view: run.view(iteration) }), [run, iteration]);
}
