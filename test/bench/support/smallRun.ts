/** A recorded run as a small file: of a large one only the iterations around the median makespan are kept. */
import { encodeRun } from '../../../core/trace/arrow.ts';
import { traceFromColumns } from '../../../core/trace/builder.ts';
import { iterationRows } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import { emptyColumns, type TraceColumns } from '../../../core/trace/trace.ts';

/** Beyond `mostBytes` of a run iterations are left out. */
export function smallRun(run: Run, mostBytes: number): Uint8Array {
  const whole = encodeRun(run);
  return whole.length <= mostBytes ? whole : encodeRun(around(run, mostBytes / whole.length));
}

/** An odd number of iterations, at most about `part` of all and at least one: the median stays what it was. */
function around({ info, trace }: Run, part: number): Run {
  const { recordedMakespanNs, recordedWallNs } = info.iterations;
  const order = [...recordedMakespanNs.keys()].sort(
    (a, b) => (recordedMakespanNs[a] ?? 0) - (recordedMakespanNs[b] ?? 0),
  );
  const middle = (order.length - 1) >> 1;
  const each = Math.max(0, Math.floor((part * order.length - 1) / 2));
  const kept = order.slice(middle - each, middle + each + 1).sort((a, b) => a - b);
  const ranges = kept.map((iteration) => iterationRows(trace, iteration));
  const count = ranges.reduce((sum, range) => sum + range.to - range.from, 0);
  const columns = emptyColumns(count);
  let row = 0;
  ranges.forEach((range, iteration) => {
    for (const name of Object.keys(columns) as (keyof TraceColumns)[]) {
      columns[name].set(trace.columns[name].subarray(range.from, range.to), row);
    }
    columns.iteration.fill(iteration, row, row + range.to - range.from);
    row += range.to - range.from;
  });
  const pick = (values: readonly number[]): number[] => kept.flatMap((iteration) => values[iteration] ?? []);
  const makespans = pick(recordedMakespanNs);
  const median = recordedMakespanNs[order[middle] ?? 0] ?? 0;
  const note = `Of ${order.length} recorded iterations, ${kept.length} around the median are kept.`;
  const iterations = {
    ...info.iterations,
    recordedMakespanNs: makespans,
    recordedWallNs: pick(recordedWallNs),
    representative: makespans.indexOf(median),
  };
  return {
    info: { ...info, iterations, notes: [...info.notes, note] },
    trace: traceFromColumns({ ...trace, count, columns }),
  };
}
