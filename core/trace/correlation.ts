/** Joins host calls with the stream activities that they issued. */
import { append } from '../groupBy.ts';
import type { RowRange } from './rows.ts';
import { type RowIndex, rowKinds, type Trace } from './trace.ts';

export interface CallJoin {
  /** Returns the call that issued a row of a stream; null if it wasn't recorded. */
  callOf(activity: RowIndex): RowIndex | null;
  /** Returns the activities that a call issued, in order of start. */
  activitiesOf(call: RowIndex): readonly RowIndex[];
}

const callCode = rowKinds.indexOf('host-call');
const hostCodes: ReadonlySet<number> = new Set(
  rowKinds.flatMap((kind, code) => (kind.startsWith('host-') && kind !== 'host-function' ? [code] : [])),
);
const none: readonly RowIndex[] = [];

/** Joins the rows of one iteration, because correlation numbers start anew in each. */
export function joinCalls({ columns }: Trace, range: RowRange): CallJoin {
  const calls = new Map<number, RowIndex>();
  const activities = new Map<number, RowIndex[]>();
  for (let row = range.from; row < range.to; row += 1) {
    const correlation = columns.correlation[row] ?? 0;
    if (correlation === 0) continue;
    const kind = columns.kind[row] ?? 0;
    if (kind === callCode) {
      if (!calls.has(correlation)) calls.set(correlation, row);
    } else if (!hostCodes.has(kind)) {
      append(activities, correlation, row);
    }
  }
  const isCall = (row: RowIndex): boolean => calls.get(columns.correlation[row] ?? 0) === row;
  return {
    callOf: (row) =>
      hostCodes.has(columns.kind[row] ?? 0) ? null : (calls.get(columns.correlation[row] ?? 0) ?? null),
    activitiesOf: (row) => (isCall(row) ? (activities.get(columns.correlation[row] ?? 0) ?? none) : none),
  };
}

/**
 * Returns the rows joined with one: a call's activities, or an activity's call and that call's other activities.
 * Searches the rows on each call, for a selected row when a table of all joins would be too large.
 */
export function joinedWith({ columns }: Trace, range: RowRange, row: RowIndex): RowIndex[] {
  const { correlation, kind } = columns;
  const wanted = correlation[row] ?? 0;
  if (wanted === 0) return [];
  let call = -1;
  const activities: RowIndex[] = [];
  for (let other = range.from; other < range.to; other += 1) {
    if (correlation[other] !== wanted) continue;
    const code = kind[other] ?? 0;
    if (code === callCode) call = call < 0 ? other : call;
    else if (!hostCodes.has(code)) activities.push(other);
  }
  if (row === call) return activities;
  if (call < 0 || hostCodes.has(kind[row] ?? 0)) return [];
  return [call, ...activities.filter((other) => other !== row)];
}
