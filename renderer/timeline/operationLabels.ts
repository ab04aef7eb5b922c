import type { Experiment } from '../../core/experiment/experiment.ts';
import { scoreLayout } from '../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const known = new WeakMap<Experiment, ReadonlyMap<number, string>>();

const none: OperationLabel = () => undefined;

/** Labels of an experiment's operations by number. An imported trace has no experiment, and so none. */
export function operationLabels(experiment: Experiment | null): OperationLabel {
  if (experiment === null) return none;
  const labels = known.get(experiment) ?? new Map(scoreLayout(experiment).blocks.map(({ op, label }) => [op, label]));
  known.set(experiment, labels);
  return (op) => labels.get(op);
}
