/**
 * Self time of rows within a stretch of time: a row's duration minus that of the rows directly inside it in its lane.
 * Rows of one lane are nested, as a call is nested in the range around it.
 */
import { type RowRange, rowEndNs } from '../../trace/rows.ts';
import type { RowIndex, Trace } from '../../trace/trace.ts';

/** Returns the self time of each row in the range; 0 for rows outside the stretch. */
export function selfTimes(trace: Trace, { from, to }: RowRange, startNs: number, endNs: number): Float64Array {
  const { lane, startNs: starts } = trace.columns;
  const own = new Float64Array(Math.max(0, to - from));
  const open = trace.lanes.map((): RowIndex[] => []);
  for (let row = from; row < to; row += 1) {
    const begin = Math.max(starts[row] as number, startNs);
    // Rows come in order of start.
    if ((starts[row] as number) >= endNs) break;
    const end = Math.min(rowEndNs(trace, row), endNs);
    if (end <= begin) continue;
    own[row - from] = end - begin;
    const around = open[lane[row] as number] as RowIndex[];
    while (around.length > 0 && rowEndNs(trace, around.at(-1) as number) <= begin) around.pop();
    const holder = around.at(-1);
    if (holder !== undefined) {
      const within = Math.min(end, rowEndNs(trace, holder)) - begin;
      own[holder - from] = Math.max(0, (own[holder - from] as number) - within);
    }
    around.push(row);
  }
  return own;
}
