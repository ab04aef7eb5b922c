/** Pairs simulated rows with recorded ones: the nth row of an operation on its lane, under the same call. */

import { groupBy } from '../../core/groupBy.ts';
import { type Activity, activity, type Iteration } from '../../core/trace/iteration.ts';

export interface RowPair {
  readonly simulated: Activity;
  /** Row in each recorded iteration; undefined if that one has other rows of this operation than the simulation. */
  readonly recorded: readonly (Activity | undefined)[];
  /** The pair before it in its lane, in the simulation. */
  readonly before: RowPair | null;
}

/** In order of the simulated starts. Marks take no time and are no work, so they are left out. */
export function pairRows(simulated: Iteration, recorded: readonly Iteration[]): RowPair[] {
  const groups = recorded.map(grouped);
  const counts = new Map([...grouped(simulated)].map(([key, rows]) => [key, rows.length]));
  const seen = new Map<string, number>();
  const last = new Map<string, RowPair>();
  return rowsOf(simulated).map((row) => {
    const key = keyOf(row);
    const place = seen.get(key) ?? 0;
    seen.set(key, place + 1);
    const found = groups.map((group) => {
      const rows = group.get(key);
      return rows?.length === counts.get(key) ? rows?.[place] : undefined;
    });
    const pair = { simulated: row, recorded: found, before: last.get(row.laneId) ?? null };
    last.set(row.laneId, pair);
    return pair;
  });
}

export const isHostRow = ({ laneId }: Activity): boolean => laneId.startsWith('thread:');

const keyOf = (row: Activity): string =>
  isHostRow(row) ? `${row.op} ${row.laneId} ${row.kind} ${row.name}` : `${row.op} device ${row.kind}`;

function rowsOf(iteration: Iteration): Activity[] {
  const rows: Activity[] = [];
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    const one = activity(iteration.trace, row);
    if (one.kind !== 'event-record' && one.kind !== 'event-wait' && one.kind !== 'host-range') rows.push(one);
  }
  return rows;
}

const grouped = (iteration: Iteration): Map<string, Activity[]> => groupBy(rowsOf(iteration), keyOf);
