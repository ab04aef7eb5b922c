/** Joins a device activity with the host call that issued it. */
import type { RowIndex } from '../trace/trace.ts';
import { type Iteration, rowKind } from './iteration.ts';

/**
 * The host-call row for each device row, where there is one. Joined by correlation where both have it; otherwise the
 * n-th activity of an operation belongs to the operation's n-th call, since a stream runs its work in issue order.
 */
export function hostCalls(iteration: Iteration): ReadonlyMap<RowIndex, RowIndex> {
  const { op, correlation } = iteration.trace.columns;
  const byCorrelation = new Map<number, RowIndex>();
  const byOccurrence = new Map<string, RowIndex>();
  const [calls, activities] = [new Map<number, number>(), new Map<number, number>()];
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    if (rowKind(iteration.trace, row) !== 'host-call') continue;
    const id = correlation[row] ?? 0;
    if (id !== 0) byCorrelation.set(id, row);
    byOccurrence.set(occurrenceKey(calls, op[row] ?? -1), row);
  }
  const joined = new Map<RowIndex, RowIndex>();
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    if (rowKind(iteration.trace, row).startsWith('host-') && rowKind(iteration.trace, row) !== 'host-function')
      continue;
    const number = op[row] ?? -1;
    const key = occurrenceKey(activities, number);
    const call = byCorrelation.get(correlation[row] ?? 0) ?? (number < 0 ? undefined : byOccurrence.get(key));
    if (call !== undefined) joined.set(row, call);
  }
  return joined;
}

/** 'op:n' for the n-th time that `op` is counted. */
function occurrenceKey(counts: Map<number, number>, op: number): string {
  const occurrence = counts.get(op) ?? 0;
  counts.set(op, occurrence + 1);
  return `${op}:${occurrence}`;
}
