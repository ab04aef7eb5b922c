/**
 * Time of each host thread in each CUDA call:
 *
 *   total     = sum of the calls' durations
 *   blocked   = the part in calls that return only when something has completed: synchronising calls, copies of pageable
 *               memory and cudaMemcpy (see hostTime.ts)
 */

import { type Spread, spread } from '../../statistics.ts';
import { type Iteration, rowKind, rowsOfKind } from '../../trace/iteration.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { holdingCalls } from './hostTime.ts';

export interface CallTime {
  /** Lane id of the host thread. */
  readonly lane: string;
  /** For example 'cudaLaunchKernel'. */
  readonly call: string;
  readonly totalNs: number;
  /** Calls that wait for work. */
  readonly blockedNs: number;
  readonly eachNs: Spread;
}

/** Returns one entry for each call of each thread, in order of lanes, then the call with the largest total first. */
export function callTimes(iteration: Iteration): CallTime[] {
  const { trace } = iteration;
  const holding = holdingCalls(iteration);
  const threads = new Map<number, Map<number, { readonly eachNs: number[]; blockedNs: number }>>();
  for (const row of rowsOfKind(iteration, 'host-call', 'host-sync')) {
    const lane = trace.columns.lane[row] ?? -1;
    const thread = threads.get(lane) ?? new Map();
    threads.set(lane, thread);
    const name = trace.columns.name[row] ?? -1;
    const call = thread.get(name) ?? { eachNs: [], blockedNs: 0 };
    thread.set(name, call);
    const durationNs = trace.columns.durationNs[row] ?? 0;
    call.eachNs.push(durationNs);
    if (isBlocked(iteration, holding, row)) call.blockedNs += durationNs;
  }
  return [...threads]
    .sort(([a], [b]) => a - b)
    .flatMap(([lane, calls]) => {
      const times = [...calls].flatMap(([name, { eachNs, blockedNs }]): CallTime[] => {
        const each = spread(eachNs);
        const totalNs = eachNs.reduce((sum, time) => sum + time, 0);
        const [id, call] = [trace.lanes[lane]?.id ?? '', trace.names[name] ?? ''];
        return each === null ? [] : [{ lane: id, call, totalNs, blockedNs, eachNs: each }];
      });
      return times.sort((a, b) => b.totalNs - a.totalNs);
    });
}

const isBlocked = ({ trace }: Iteration, holding: ReadonlySet<RowIndex>, row: RowIndex): boolean =>
  rowKind(trace, row) === 'host-sync' || holding.has(row);
