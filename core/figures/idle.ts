/**
 * Why each stream stood idle between two pieces of its work. With gap = start - end of the work before it in the stream:
 *
 *   host wait     the call that issued the later one began after the earlier one had ended: nothing was there to run
 *   kernel wait   otherwise, and gap < kernelWaitNs: what it takes to go on to the next piece of work
 *   other         the rest: the work was there, and waited for an event, an engine, another stream or the device
 *
 *   overlap       time by which work began before the work ahead of it in its stream had ended, as programmatic dependent
 *                 launches let it; not idle, and counted apart
 *
 * The same as Holistic Trace Analysis's idle time breakdown, which takes overlap as a negative kernel wait. Its documents call the limit 30 ns, but it compares with
 * the trace's own numbers, which are microseconds in Kineto's files: 30 µs is what agrees with its figures.
 */

import { eachRowOfKind, type Iteration, rowStart } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { hostCalls } from './hostCalls.ts';

export const kernelWaitNs = 30_000;

export interface StreamIdle {
  /** Lane id, as 'stream:side'. */
  readonly lane: string;
  /** Pieces of work in it. */
  readonly operations: number;
  readonly idleNs: number;
  readonly hostWaitNs: number;
  readonly kernelWaitNs: number;
  readonly otherNs: number;
  readonly overlapNs: number;
}

interface Sums {
  operations: number;
  lastEnd: number;
  hostWaitNs: number;
  kernelWaitNs: number;
  otherNs: number;
  overlapNs: number;
}

/** One entry for each stream that did anything, in the order of the trace's lanes. */
export function streamIdle(iteration: Iteration): StreamIdle[] {
  const { trace } = iteration;
  const calls = hostCalls(iteration);
  const streams = new Map<number, Sums>();
  eachRowOfKind(iteration, ['copy', 'kernel', 'memset', 'host-function'], (row) => {
    const lane = trace.columns.lane[row] ?? -1;
    const known = streams.get(lane);
    const end = rowEndNs(trace, row);
    if (known === undefined) {
      streams.set(lane, { operations: 1, lastEnd: end, hostWaitNs: 0, kernelWaitNs: 0, otherNs: 0, overlapNs: 0 });
      return;
    }
    const call = calls.get(row);
    add(known, rowStart(trace, row) - known.lastEnd, call !== undefined && rowStart(trace, call) > known.lastEnd);
    known.operations += 1;
    known.lastEnd = Math.max(known.lastEnd, end);
  });
  return trace.lanes.flatMap(({ id }, lane) => {
    const sums = streams.get(lane);
    if (sums === undefined) return [];
    const { lastEnd: _, ...figures } = sums;
    return [{ lane: id, idleNs: sums.hostWaitNs + sums.kernelWaitNs + sums.otherNs, ...figures }];
  });
}

function add(sums: Sums, gapNs: number, issuedAfter: boolean): void {
  if (gapNs < 0) sums.overlapNs -= gapNs;
  else if (issuedAfter) sums.hostWaitNs += gapNs;
  else if (gapNs < kernelWaitNs) sums.kernelWaitNs += gapNs;
  else sums.otherNs += gapNs;
}
