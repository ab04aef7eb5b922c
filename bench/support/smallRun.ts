/** A recorded run as a small file: of a large one only the most typical iterations are kept. */

import { encodeRun } from '../../core/trace/arrow.ts';
import { traceFromColumns } from '../../core/trace/builder.ts';
import { iterationRows } from '../../core/trace/rows.ts';
import type { Run } from '../../core/trace/run.ts';
import { type CommonColumn, emptyColumns } from '../../core/trace/trace.ts';
import { typicalIterations } from '../../native/decode.ts';

/** Beyond `mostBytes` of a run iterations are left out. */
export function smallRun(run: Run, mostBytes: number): Uint8Array {
  const whole = encodeRun(run);
  return whole.length <= mostBytes ? whole : encodeRun(around(run, mostBytes / whole.length));
}

/** An odd number of iterations, at most about `part` of all and at least one: the most typical one stays what it was. */
function around({ info, trace }: Run, part: number): Run {
  const { recordedMakespanNs, recordedWallNs } = info.iterations;
  const order = typicalIterations(trace, recordedMakespanNs);
  const each = Math.max(0, Math.floor((part * order.length - 1) / 2));
  const kept = order.slice(0, 2 * each + 1).sort((a, b) => a - b);
  const ranges = kept.map((iteration) => iterationRows(trace, iteration));
  const count = ranges.reduce((sum, range) => sum + range.to - range.from, 0);
  const columns = emptyColumns(count);
  let row = 0;
  ranges.forEach((range, iteration) => {
    for (const name of Object.keys(columns) as CommonColumn[]) {
      columns[name].set(trace.columns[name].subarray(range.from, range.to), row);
    }
    columns.iteration.fill(iteration, row, row + range.to - range.from);
    row += range.to - range.from;
  });
  const pick = (values: readonly number[]): number[] => kept.flatMap((iteration) => values[iteration] ?? []);
  const note = `The file has the ${kept.length} most typical of ${order.length} recorded iterations.`;
  const iterations = {
    ...info.iterations,
    recordedMakespanNs: pick(recordedMakespanNs),
    recordedWallNs: pick(recordedWallNs),
    representative: kept.indexOf(order[0] ?? 0),
  };
  return {
    info: { ...info, iterations, notes: [...info.notes, note] },
    trace: traceFromColumns({ ...trace, count, columns }),
  };
}
