/**
 * Rate of copies as the program sees it: bytes over the time from call to arrival, including host time. A pageable copy
 * that its engine moves at the link's rate may have been staged for ten times as long before.
 *
 *   arrival    end of the copy; for one into pageable memory, which the driver fills, the end of its call if that is later
 *   rate       bytes / length of the union of the times from call to arrival
 */
import { length, union } from '../../trace/intervals.ts';
import { activity, type Iteration, rowDirection, rowStart, rowsOfKind } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { achievedRate } from './engines.ts';
import { hostCalls } from './hostCalls.ts';

/** Returns null if nothing was copied in this direction. A copy without a recorded call counts from its start. */
export function deliveredRate(iteration: Iteration, direction: 'h2d' | 'd2h'): number | null {
  const { trace } = iteration;
  const copies = rowsOfKind(iteration, 'copy').filter((row) => rowDirection(trace, row) === direction);
  if (copies.length === 0) return null;
  const calls = hostCalls(iteration);
  const [starts, ends]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (const row of copies) {
    const call = calls.get(row);
    const isFilled = direction === 'd2h' && activity(trace, row).dst === 'pageable' && call !== undefined;
    starts.push(call === undefined ? rowStart(trace, row) : Math.min(rowStart(trace, call), rowStart(trace, row)));
    ends.push(isFilled ? Math.max(rowEndNs(trace, row), rowEndNs(trace, call)) : rowEndNs(trace, row));
    bytes += trace.columns.bytes[row] ?? 0;
  }
  return achievedRate(bytes, length(union(starts, ends)));
}
