import type { Experiment } from '../../core/experiment/experiment.ts';
import { lowerBound } from '../../core/trace/rows.ts';
import { scoreLayout } from '../score/scoreLayout.ts';
import type { OperationLabel } from './describeRow.ts';

const none: OperationLabel = () => undefined;

/** Labels of an experiment's operations by number. An imported trace has no experiment, and so none. */
export function operationLabels(experiment: Experiment | null): OperationLabel {
  if (experiment === null) return none;
  const { blocks } = scoreLayout(experiment);
  return (op) => {
    // In document order, which is the order of the numbers; groups have numbers and no blocks.
    const block = blocks[lowerBound(0, blocks.length, (at) => (blocks[at]?.op ?? 0) < op)];
    return block?.op === op ? block.label : undefined;
  };
}
