/**
 * One axis for the iterations of a run, whose times begin anew in each: one follows the other at the next whole
 * microsecond, since the time between them is not recorded. Viewers count whole nanoseconds, and a simulated run has
 * fractions: starts and ends are rounded down, so that what lies inside of something stays there.
 */
import { iterationRows, iterationsOf, makespanNs, type RowRange } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';

/** One iteration, and where it begins on the axis: whole nanoseconds. */
export interface PlacedIteration {
  readonly number: number;
  readonly rows: RowRange;
  readonly beginNs: number;
  readonly endNs: number;
  /** Added to correlation numbers, which begin anew as well. */
  readonly firstCorrelation: number;
}

/** All iterations, or that of this number alone: none where the trace has no row of it. */
export function placeIterations(trace: Trace, only?: number): PlacedIteration[] {
  const numbers = iterationsOf(trace).filter((number) => only === undefined || number === only);
  const placed: PlacedIteration[] = [];
  let [beginNs, firstCorrelation] = [0, 0];
  for (const number of numbers) {
    const rows = iterationRows(trace, number);
    const endNs = beginNs + Math.ceil(makespanNs(trace, rows) / 1000) * 1000;
    placed.push({ number, rows, beginNs, endNs, firstCorrelation });
    firstCorrelation += mostCorrelation(trace, rows);
    beginNs = endNs;
  }
  return placed;
}

/** Whole nanoseconds on the axis. */
export const startOf = ({ columns }: Trace, { beginNs }: PlacedIteration, row: RowIndex): number =>
  beginNs + Math.floor(columns.startNs[row] as number);

export const endOf = ({ columns }: Trace, { beginNs }: PlacedIteration, row: RowIndex): number =>
  beginNs + Math.floor((columns.startNs[row] as number) + (columns.durationNs[row] as number));

/** Whether the row's times are whole nanoseconds: of others the exact ones are written beside the rounded. */
export const isWhole = ({ columns }: Trace, row: RowIndex): boolean =>
  Number.isInteger(columns.startNs[row]) && Number.isInteger(columns.durationNs[row]);

function mostCorrelation({ columns }: Trace, { from, to }: RowRange): number {
  let most = 0;
  for (let row = from; row < to; row += 1) most = Math.max(most, columns.correlation[row] as number);
  return most;
}
