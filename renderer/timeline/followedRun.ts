/** What stands beside the lanes and follows a frame later: it is drawn anew only when what it shows itself has changed. */
import { useMemo } from 'react';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { loadedRun } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { TimeWindow } from './time/timeWindow.ts';

export interface FollowingProps {
  /** The run as it was when its timeline was opened. */
  readonly first: LoadedRun;
  /** Moves whichever window of time is shown. */
  readonly time: Pick<TimeWindow, 'move' | 'view'>;
}

/** The run that is shown, as those see it who follow a frame later. */
export function useFollowedRun(first: LoadedRun): { readonly run: LoadedRun; readonly view: IterationView } {
  const run = useApp((state) => loadedRun(state, first.id)) ?? first;
  const iteration = useApp((state) => state.iteration);
  return useMemo(() => ({ run, view: run.view(iteration) }), [run, iteration]);
}
