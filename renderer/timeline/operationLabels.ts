import type { Experiment } from '../../core/experiment/experiment.ts';
import { blockOf, scoreLayout } from '../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const none: OperationLabel = () => undefined;

/** Labels of an experiment's operations by number. An imported trace has no experiment, and so none. */
export function operationLabels(experiment: Experiment | null): OperationLabel {
  if (experiment === null) return none;
  const layout = scoreLayout(experiment);
  return (op) => blockOf(layout, op)?.label;
}
