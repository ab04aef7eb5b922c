import { describeOperation } from '../../../core/experiment/describe.ts';
import { operationsOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { blockOf, scoreLayout } from '../../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const none: OperationLabel = () => undefined;

/**
 * Labels of an experiment's operations by number. An imported trace has no experiment, and so none. The layout that they
 * come from is made when the first one is asked for: in thousands of narrow bars none is written.
 */
export function operationLabels(experiment: Experiment | null): OperationLabel {
  if (experiment === null) return none;
  return (op) => blockOf(scoreLayout(experiment), op)?.label ?? foldedLabel(experiment, op);
}

/** What a folded range holds has no block. */
function foldedLabel(experiment: Experiment, op: number): string | undefined {
  const operation = operationsOf(experiment)[op];
  return operation === undefined || 'operations' in operation ? undefined : describeOperation(operation, experiment);
}
