/** A row as text: for labels on bars, for the hover card, for tables and for screen readers. */

import { describeOperation } from '../../../core/experiment/describe.ts';
import { operationsOf } from '../../../core/experiment/edit/paths.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { shortKernelName } from '../../../core/explain/figures/kernelName.ts';
import { rowDirection, rowKind } from '../../../core/trace/iteration.ts';
import { readRow, type TraceRow } from '../../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';
import { formatBytes, formatDuration, formatRate, rate } from '../../../core/units.ts';
import { blockOf, scoreLayout } from '../../score/scoreLayout.ts';

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

/** Returns the experiment's label of an operation, or undefined. */
export type OperationLabel = (op: number) => string | undefined;

/** Returns a few words that fit on a bar: 'H2D 20.0 MiB', a kernel's label, a call's name. */
export function rowTitle(trace: Trace, row: RowIndex, label: OperationLabel): string {
  const { columns, names } = trace;
  const kind = rowKind(trace, row);
  const name = names[columns.name[row] ?? -1] ?? '';
  if (kind === 'copy') {
    const direction = rowDirection(trace, row);
    return `${direction === null ? 'Copy' : direction.toUpperCase()} ${formatBytes(columns.bytes[row] ?? 0)}`;
  }
  const own = kind === 'kernel' ? shortKernelName(name) : name;
  const onHost = kind.startsWith('host-') && kind !== 'host-function';
  return onHost ? name : (label(columns.op[row] ?? -1) ?? own);
}

/** Returns bytes over duration, or null for rows without bytes or duration. */
export function rowRate(row: TraceRow): number | null {
  return row.kind === 'copy' && row.bytes > 0 && row.durationNs > 0 ? rate(row.bytes, row.durationNs) : null;
}

export const rowKindWords: Readonly<Record<TraceRow['kind'], string>> = {
  'host-call': 'Host call',
  'host-sync': 'Host waits',
  'host-work': 'Host work',
  'host-read': 'Host reads',
  'host-write': 'Host writes',
  'host-range': 'Range',
  copy: 'Copy',
  kernel: 'Kernel',
  memset: 'Memset',
  'host-function': 'Host function',
  'event-record': 'Event recorded',
  'event-wait': 'Event wait passed',
};

/** Returns one sentence for screen readers. */
export function rowSentence(trace: Trace, row: RowIndex, label: OperationLabel): string {
  const read = readRow(trace, row);
  const speed = rowRate(read);
  const parts = [
    `${rowKindWords[read.kind]} ${rowTitle(trace, row, label)}`,
    `on ${read.lane.name}`,
    `starts at ${formatDuration(read.startNs)}`,
    ...(read.durationNs > 0 ? [`takes ${formatDuration(read.durationNs)}`] : []),
    ...(speed === null ? [] : [`at ${formatRate(speed)}`]),
  ];
  return `${parts.join(', ')}.`;
}
