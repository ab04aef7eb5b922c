import { describeOperation } from '../../../core/experiment/describe.ts';
import { operationsOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { blockOf, scoreLayout } from '../../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const none: OperationLabel = () => undefined;

/**
 * Returns the labels of an experiment's operations by number; an imported trace has none. The score's layout, their
 * source, is made at the first call, since frames of narrow bars need no label.
 */
export function operationLabels(experiment: Experiment | null): OperationLabel {
  if (experiment === null) return none;
  return (op) => blockOf(scoreLayout(experiment), op)?.label ?? foldedLabel(experiment, op);
}

/** Returns the label of an operation inside a folded range, which has no block. */
function foldedLabel(experiment: Experiment, op: number): string | undefined {
  const operation = operationsOf(experiment)[op];
  return operation === undefined || 'operations' in operation ? undefined : describeOperation(operation, experiment);
}
