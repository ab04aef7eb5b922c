/**
 * One time axis for the iterations of a run, whose times each begin at 0. An iteration begins at the whole microsecond
 * after the one before, since the time between them isn't recorded. Viewers use whole nanoseconds, and a simulated run
 * has fractions: starts and ends are rounded down, so that nested rows stay nested.
 */
import { iterationRows, iterationsOf, makespanNs, type RowRange } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';

/** One iteration, and its begin on the axis in whole nanoseconds. */
export interface PlacedIteration {
  readonly number: number;
  readonly rows: RowRange;
  readonly beginNs: number;
  readonly endNs: number;
  /** Added to correlation numbers, which also begin anew. */
  readonly firstCorrelation: number;
}

/** Returns all iterations, or only this one; empty if the trace has no row of it. */
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

/** Returns whole nanoseconds on the axis. */
export const startOf = ({ columns }: Trace, { beginNs }: PlacedIteration, row: RowIndex): number =>
  beginNs + Math.floor(columns.startNs[row] as number);

export const endOf = ({ columns }: Trace, { beginNs }: PlacedIteration, row: RowIndex): number =>
  beginNs + Math.floor((columns.startNs[row] as number) + (columns.durationNs[row] as number));

/** Returns whether the row's times are whole nanoseconds. Others are written exactly too. */
export const isWhole = ({ columns }: Trace, row: RowIndex): boolean =>
  Number.isInteger(columns.startNs[row]) && Number.isInteger(columns.durationNs[row]);

function mostCorrelation({ columns }: Trace, { from, to }: RowRange): number {
  let most = 0;
  for (let row = from; row < to; row += 1) most = Math.max(most, columns.correlation[row] as number);
  return most;
}
