/** Joins a device activity with the host call that issued it. */
import { joinCalls } from '../trace/correlation.ts';
import type { RowIndex } from '../trace/trace.ts';
import { type Iteration, rowKind } from './iteration.ts';

/**
 * The host-call row of each stream row that has one. Joined by correlation where the trace has it; otherwise the n-th
 * activity of an operation belongs to the operation's n-th call, since a stream runs its work in issue order.
 */
export function hostCalls({ trace, begin, end }: Iteration): ReadonlyMap<RowIndex, RowIndex> {
  const { op } = trace.columns;
  const byCorrelation = joinCalls(trace, { from: begin, to: end });
  const calls = new Map<number, RowIndex[]>();
  const activities: RowIndex[] = [];
  for (let row = begin; row < end; row += 1) {
    const kind = rowKind(trace, row);
    if (kind === 'host-call') append(calls, op[row] ?? -1, row);
    else if (kind === 'host-function' || !kind.startsWith('host-')) activities.push(row);
  }
  const joined = new Map<RowIndex, RowIndex>();
  const seen = new Map<number, number>();
  for (const row of activities) {
    const number = op[row] ?? -1;
    const occurrence = seen.get(number) ?? 0;
    seen.set(number, occurrence + 1);
    const call = byCorrelation.callOf(row) ?? (number < 0 ? undefined : calls.get(number)?.[occurrence]);
    if (call !== undefined) joined.set(row, call);
  }
  return joined;
}

function append(lists: Map<number, RowIndex[]>, key: number, row: RowIndex): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [row]);
  else list.push(row);
}
