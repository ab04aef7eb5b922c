import { useMemo } from 'react';
import { numbersById, operationsOf } from '../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import { currentExperiment, isOfPresent, isRunOf, loadedRun, shownRunId } from '../store/select.ts';
import { useApp } from '../store/store.ts';
import type { AppState } from '../store/types.ts';

/**
 * Returns the number of the selected operation of a program, by default the open one. A row of its run in the timeline
 * counts too. Null if nothing is selected, or the row is of another program's run.
 */
export function selectedOp(state: AppState, program = currentExperiment(state)): number | null {
  const { selection } = state;
  if (program === null) return null;
  if (selection?.kind === 'op') {
    return program === currentExperiment(state) ? (numbersById(program).get(selection.id) ?? null) : null;
  }
  const run = selection?.kind === 'row' ? loadedRun(state, selection.run) : null;
  if (selection?.kind !== 'row' || run === null || !isRunOf(run, program)) return null;
  const op = run.run.trace.columns.op[selection.row] ?? -1;
  return op < 0 ? null : op;
}

/** Returns the id of the selected operation, or null if nothing of the program is selected. */
export function selectedId(state: AppState, program = currentExperiment(state)): string | null {
  const op = selectedOp(state, program);
  return op === null || program === null ? null : (operationsOf(program)[op]?.id ?? null);
}

/** Returns the ids of all selected operations, first the one that the inspector shows. */
export function selectedIds(state: AppState, program = currentExperiment(state)): string[] {
  const id = selectedId(state, program);
  const { selection } = state;
  const others = selection?.kind === 'op' ? (selection.others ?? []) : [];
  return id === null ? [] : [...new Set([id, ...others])];
}

/** Returns the numbers of all selected operations in document order. */
export function selectedOps(state: AppState, program = currentExperiment(state)): number[] {
  const ids = selectedIds(state, program);
  if (ids.length === 0 || program === null) return [];
  const numbers = numbersById(program);
  return ids.flatMap((id) => numbers.get(id) ?? []).sort((a, b) => a - b);
}

export const useSelectedOp = (program?: Experiment): number | null => useApp((state) => selectedOp(state, program));

/** Returns the shown run's verdicts by operation id. After an edit the old verdicts stay until the next prediction. */
export function useVerdictsById(): ReadonlyMap<string | null, Verdict> {
  const run = useApp((state) => loadedRun(state, shownRunId(state)));
  const fits = useApp((state) => run !== null && isOfPresent(state, run));
  const verdicts = fits ? run?.verdicts : undefined;
  return useMemo(() => new Map(verdicts?.map((verdict) => [verdict.id, verdict])), [verdicts]);
}
