import type { Experiment } from '../../core/experiment/experiment.ts';
import { scoreLayout } from '../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const known = new WeakMap<Experiment, ReadonlyMap<number, string>>();

/** Labels of an experiment's operations by number. */
export function operationLabels(experiment: Experiment): OperationLabel {
  const labels = known.get(experiment) ?? new Map(scoreLayout(experiment).blocks.map(({ op, label }) => [op, label]));
  known.set(experiment, labels);
  return (op) => labels.get(op);
}
