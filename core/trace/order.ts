/** The order of a trace's rows: iteration, then start, and the longer first, so that a range precedes its content. */
import { emptyColumns, type TraceColumns } from './trace.ts';

export function isSorted({ iteration, startNs, durationNs }: TraceColumns, count: number): boolean {
  for (let row = 1; row < count; row += 1) {
    const before = row - 1;
    const step =
      at(iteration, row) - at(iteration, before) ||
      at(startNs, row) - at(startNs, before) ||
      at(durationNs, before) - at(durationNs, row);
    if (step < 0) return false;
  }
  return true;
}

/** The first `count` rows in order; rows that compare equal stay as they were. */
export function sortedColumns(columns: TraceColumns, count: number): TraceColumns {
  const target = emptyColumns(count);
  if (isSorted(columns, count)) {
    for (const name of columnNames(target)) target[name].set(columns[name].subarray(0, count));
    return target;
  }
  const order = rowOrder(columns, count);
  for (const name of columnNames(target)) {
    const [from, to] = [columns[name], target[name]];
    for (let index = 0; index < count; index += 1) to[index] = from[order[index] ?? 0] ?? 0;
  }
  return target;
}

export const columnNames = (columns: TraceColumns): (keyof TraceColumns)[] =>
  Object.keys(columns) as (keyof TraceColumns)[];

function rowOrder({ iteration, startNs, durationNs }: TraceColumns, count: number): Uint32Array {
  return Uint32Array.from({ length: count }, (_, row) => row).sort(
    (a, b) =>
      at(iteration, a) - at(iteration, b) ||
      at(startNs, a) - at(startNs, b) ||
      at(durationNs, b) - at(durationNs, a) ||
      a - b,
  );
}

const at = (column: Float64Array | Int32Array, row: number): number => column[row] ?? 0;
