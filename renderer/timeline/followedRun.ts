/** Parts around the lanes, drawn a frame later and only if their own content changed. */
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { loadedRun } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { TimeWindow } from './time/timeWindow.ts';

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
