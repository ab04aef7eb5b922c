import { useMemo } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import { currentExperiment, isOfPresent, isRunOf, loadedRun, shownRunId } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { AppState } from '../store/types.ts';

/**
 * Number of the operation of a program, the open one where none is given, that is selected: in the score, or through one
 * of its rows in the timeline. Null where the selected row is of a run of another program.
 */
export function selectedOp(state: AppState, program = currentExperiment(state)): number | null {
  const { selection } = state;
  if (selection?.kind === 'op') return program === currentExperiment(state) ? selection.op : null;
  if (selection?.kind !== 'row' || program === null) return null;
  const run = loadedRun(state, selection.run);
  if (run === null || !isRunOf(run, program)) return null;
  const op = run.run.trace.columns.op[selection.row] ?? -1;
  return op < 0 ? null : op;
}

/** Numbers of all operations of it that are selected, in document order. */
export function selectedOps(state: AppState, program = currentExperiment(state)): number[] {
  const op = selectedOp(state, program);
  const { selection } = state;
  const others = selection?.kind === 'op' ? (selection.others ?? []) : [];
  return op === null ? [] : [...new Set([op, ...others])].sort((a, b) => a - b);
}

export const useSelectedOp = (program?: Experiment): number | null => useApp((state) => selectedOp(state, program));

export function useVerdictsByOp(): ReadonlyMap<number, Verdict> {
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  // Numbers of operations mean others after an edit.
  const fits = useApp((state) => run !== null && isOfPresent(state, run));
  const verdicts = fits ? run?.verdicts : undefined;
  return useMemo(() => new Map(verdicts?.map((verdict) => [verdict.op, verdict])), [verdicts]);
}
