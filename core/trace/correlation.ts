/** Joins the host call that issued a piece of work with the stream activity that it became. */
import type { RowRange } from './rows.ts';
import { type RowIndex, rowKinds, type Trace } from './trace.ts';

export interface CallJoin {
  /** The call that issued a row of a stream; null where it wasn't recorded. */
  callOf(activity: RowIndex): RowIndex | null;
  /** What a call's work became, in order of start; several rows where the call issued several. */
  activitiesOf(call: RowIndex): readonly RowIndex[];
}

const callCode = rowKinds.indexOf('host-call');
const hostCodes: ReadonlySet<number> = new Set(
  rowKinds.flatMap((kind, code) => (kind.startsWith('host-') && kind !== 'host-function' ? [code] : [])),
);
const none: readonly RowIndex[] = [];

/** The joins within one iteration (correlation numbers start anew in each): pass that iteration's rows. */
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
      const known = activities.get(correlation);
      if (known === undefined) activities.set(correlation, [row]);
      else known.push(row);
    }
  }
  const isCall = (row: RowIndex): boolean => calls.get(columns.correlation[row] ?? 0) === row;
  return {
    callOf: (row) =>
      hostCodes.has(columns.kind[row] ?? 0) ? null : (calls.get(columns.correlation[row] ?? 0) ?? null),
    activitiesOf: (row) => (isCall(row) ? (activities.get(columns.correlation[row] ?? 0) ?? none) : none),
  };
}
