/**
 * CUPTI counts correlations for each process anew, so that the ranks of a merged trace use the same ones: each rank's
 * rows get numbers of their own. Where the calls of several processes stand in one rank, as where a script has only added
 * to the numbers of processes, nothing tells whose call a piece of work belongs to: such a rank's rows have none.
 */

import { RowsByNumber } from '../../trace/rowsByNumber.ts';
import type { LaneIndex, TraceColumns } from '../../trace/trace.ts';
import { Correlations } from '../correlations.ts';

/** What a lane belongs to. */
export interface Owner {
  /** Index of the rank; -1 for an engine, on which no rows lie. */
  readonly rank: number;
  /** Of a host thread its process; -1 for a stream. */
  readonly process: number;
}

type Columns = Pick<TraceColumns, 'lane' | 'correlation'>;

/** Changes the correlations, and gives the lanes whose rows have none now. `lanes` are the lanes' owners. */
export function separateRanks(columns: Columns, count: number, lanes: readonly Owner[]): ReadonlySet<LaneIndex> {
  const owners = haveBoth(lanes) ? lanes : lanes.map(({ process }) => ({ rank: 0, process }));
  if (owners.some(({ rank }) => rank > 0)) renumber(columns, count, owners);
  const shared = hasSeveralProcesses(owners) ? sharedRanks(columns, count, owners) : new Set<number>();
  const unjoined = new Set(owners.flatMap(({ rank }, lane) => (shared.has(rank) ? [lane] : [])));
  if (unjoined.size > 0) clear(columns, count, unjoined);
  return unjoined;
}

/** Whether a rank has threads and streams: otherwise what stands beside the numbers is no rank. */
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

/** Ranks of which two processes have called with the same number. */
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
