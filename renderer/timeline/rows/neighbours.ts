/** Finds the next row: along a lane, or in the lane above or below. */
import type { RowRange } from '../../../core/trace/rows.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';

/** Returns the next (1) or previous (-1) row of the same host thread or stream, in order of start; null at the end. */
export function alongLane(trace: Trace, range: RowRange, row: RowIndex, step: 1 | -1): RowIndex | null {
  const { lane } = trace.columns;
  for (let next = row + step; next >= range.from && next < range.to; next += step) {
    if (lane[next] === lane[row]) return next;
  }
  return null;
}

/** Returns the row nearest in time on the next of `lanes`, which are in drawing order; null past the last one. */
export function acrossLanes(
  trace: Trace,
  range: RowRange,
  row: RowIndex,
  step: 1 | -1,
  lanes: readonly number[],
): RowIndex | null {
  const own = lanes.indexOf(trace.columns.lane[row] ?? -1);
  // From a lane that is not among them, such as a hidden one, it goes to the first or the last.
  for (let at = own < 0 && step < 0 ? lanes.length - 1 : own + step; at >= 0 && at < lanes.length; at += step) {
    const found = nearestOn(trace, range, lanes[at] ?? -1, trace.columns.startNs[row] ?? 0);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the first row of the first lane that has one. */
export function firstRow(trace: Trace, range: RowRange, lanes: readonly number[]): RowIndex | null {
  for (const lane of lanes) {
    const found = nearestOn(trace, range, lane, 0);
    if (found !== null) return found;
  }
  return null;
}

function nearestOn(trace: Trace, range: RowRange, lane: number, timeNs: number): RowIndex | null {
  let best: RowIndex | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (let row = range.from; row < range.to; row += 1) {
    if (trace.columns.lane[row] !== lane) continue;
    const distance = Math.max(0, (trace.columns.startNs[row] ?? 0) - timeNs, timeNs - rowEndNs(trace, row));
    if (distance < least) [best, least] = [row, distance];
  }
  return best;
}
