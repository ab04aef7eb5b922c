import { useMemo } from 'react';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import { isOfPresent, loadedRun, shownRunId } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { AppState } from '../store/types.ts';

/** Number of the operation that is selected, in the score or through one of its rows in the timeline. */
export function selectedOp(state: AppState): number | null {
  const { selection } = state;
  if (selection?.kind === 'op') return selection.op;
  if (selection?.kind !== 'row') return null;
  const op = loadedRun(state, selection.run)?.run.trace.columns.op[selection.row] ?? -1;
  return op < 0 ? null : op;
}

/** Numbers of all operations that are selected, in document order. */
export function selectedOps(state: AppState): number[] {
  const op = selectedOp(state);
  const { selection } = state;
  const others = selection?.kind === 'op' ? (selection.others ?? []) : [];
  return op === null ? [] : [...new Set([op, ...others])].sort((a, b) => a - b);
}

export const useSelectedOp = (): number | null => useApp(selectedOp);

export function useVerdictsByOp(): ReadonlyMap<number, Verdict> {
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  // Numbers of operations mean others after an edit.
  const fits = useApp((state) => run !== null && isOfPresent(state, run));
  const verdicts = fits ? run?.verdicts : undefined;
  return useMemo(() => new Map(verdicts?.map((verdict) => [verdict.op, verdict])), [verdicts]);
}
