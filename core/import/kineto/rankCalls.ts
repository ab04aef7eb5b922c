/**
 * Separates correlations of merged ranks. CUPTI counts them anew in each process, so each rank's rows get their own
 * numbers. If several processes call within one rank, for example because a script only changed the processes' numbers,
 * a piece of work can't be joined with its call: then the rank's rows have none.
 */

import { RowsByNumber } from '../../trace/rowsByNumber.ts';
import type { LaneIndex, TraceColumns } from '../../trace/trace.ts';
import { Correlations } from '../correlations.ts';

/** Owner of a lane. */
export interface Owner {
  /** Index of the rank; -1 for an engine, which has no rows. */
  readonly rank: number;
  /** Process of a host thread; -1 for a stream. */
  readonly process: number;
}

type Columns = Pick<TraceColumns, 'lane' | 'correlation'>;

/** Changes the correlations. Returns the lanes whose rows have none now. `lanes` are the lanes' owners. */
export function separateRanks(columns: Columns, count: number, lanes: readonly Owner[]): ReadonlySet<LaneIndex> {
  const owners = haveBoth(lanes) ? lanes : lanes.map(({ process }) => ({ rank: 0, process }));
  if (owners.some(({ rank }) => rank > 0)) renumber(columns, count, owners);
  const shared = hasSeveralProcesses(owners) ? sharedRanks(columns, count, owners) : new Set<number>();
  const unjoined = new Set(owners.flatMap(({ rank }, lane) => (shared.has(rank) ? [lane] : [])));
  if (unjoined.size > 0) clear(columns, count, unjoined);
  return unjoined;
}

/** Returns whether every rank has threads and streams; otherwise the text next to the numbers isn't a rank. */
function haveBoth(owners: readonly Owner[]): boolean {
  const threads = new Set(owners.flatMap(({ rank, process }) => (process >= 0 ? [rank] : [])));
  return owners.some(({ rank, process }) => process < 0 && threads.has(rank));
}

function renumber({ lane, correlation }: Columns, count: number, owners: readonly Owner[]): void {
  const own = new Correlations();
  for (let row = 0; row < count; row += 1) {
    own.set(row, owners[lane[row] ?? 0]?.rank ?? 0, correlation[row] ?? 0);
  }
  own.fill(correlation, count);
}

function hasSeveralProcesses(owners: readonly Owner[]): boolean {
  const first = new Map<number, number>();
  return owners.some(({ rank, process }) => {
    if (process >= 0 && !first.has(rank)) first.set(rank, process);
    return process >= 0 && first.get(rank) !== process;
  });
}

/** Returns ranks in which two processes have calls with the same number. */
function sharedRanks({ lane, correlation }: Columns, count: number, owners: readonly Owner[]): Set<number> {
  const calls = new RowsByNumber(correlation, 0, count);
  const shared = new Set<number>();
  for (let row = 0; row < count; row += 1) {
    const [owner, number] = [owners[lane[row] ?? 0], correlation[row] ?? 0];
    if (owner === undefined || owner.process < 0 || number === 0) continue;
    const known = calls.get(number);
    if (known < 0) calls.set(number, row);
    else if (owners[lane[known] ?? 0]?.process !== owner.process) shared.add(owner.rank);
  }
  return shared;
}

function clear({ lane, correlation }: Columns, count: number, lanes: ReadonlySet<LaneIndex>): void {
  for (let row = 0; row < count; row += 1) if (lanes.has(lane[row] ?? -1)) correlation[row] = 0;
}
