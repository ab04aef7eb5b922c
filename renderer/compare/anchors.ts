/** Finds the operation in each run that aligns all runs, and its time. */

import type { Experiment } from '../../core/experiment/experiment.ts';
import { anchorNs } from '../../core/explain/compare/anchor.ts';
import { matchOperations } from '../../core/explain/compare/matching.ts';
import { rememberedBy } from '../../core/rememberedBy.ts';
import { scoreLayout } from '../score/scoreLayout.ts';
import type { IterationView } from '../store/opened/loadedRun.ts';
import type { Alignment } from './compareStore.ts';

/** Returns the operations of an experiment that can align runs, in `op` order. */
export const alignable = (experiment: Experiment | null): readonly { readonly op: number; readonly label: string }[] =>
  experiment === null ? [] : scoreLayout(experiment).blocks;

/**
 * Returns the chosen alignment. If the first run lacks it, returns the first operation, else the first step, else null.
 */
export function alignmentIn(
  experiment: Experiment | null,
  steps: readonly number[],
  chosen: Alignment | null,
): Alignment | null {
  if (chosen === null) return null;
  const operations = alignable(experiment);
  const [first] = operations;
  if (first === undefined)
    return steps.length === 0 ? null : { step: 'step' in chosen ? chosen.step % steps.length : 0 };
  if ('step' in chosen) return { op: first.op, edge: 'issue' };
  return operations.some(({ op }) => op === chosen.op) ? chosen : { ...chosen, op: first.op };
}

/** Returns the time of the first run's operation or step in each run, or null for runs that lack it. */
export function anchorsOf(
  views: readonly IterationView[],
  steps: readonly (readonly number[])[],
  alignment: Alignment | null,
): (number | null)[] {
  if (alignment !== null && 'step' in alignment) return views.map((_, at) => steps[at]?.[alignment.step] ?? null);
  const base = views[0]?.run.info.experiment ?? null;
  return views.map(({ run: { info, trace }, number }) => {
    const op = alignment === null ? null : sameOperation(base, info.experiment, alignment.op);
    return op === null || alignment === null ? null : anchorNs(trace, number, op, alignment.edge);
  });
}

const matchesWith = rememberedBy((base: Experiment) =>
  rememberedBy((other: Experiment) => matchOperations(base, other)),
);

/** Returns the number in `other` of an operation of `base`, or null if it isn't there. */
export function sameOperation(base: Experiment | null, other: Experiment | null, op: number): number | null {
  if (base === null || other === null) return null;
  if (base === other) return op;
  const found = matchesWith(base)(other)[op] ?? -1;
  return found < 0 ? null : found;
}
