/**
 * Why each stream was idle between two pieces of its work. A gap is the time from the end of one to the start of the
 * next. Same as Holistic Trace Analysis's idle time breakdown, which counts overlap as a negative kernel wait. Its
 * documents call the limit 30 ns, but it compares with the trace's own numbers, which are microseconds in Kineto's
 * files: 30 µs agrees with its figures.
 */

import { eachRowOfKind, type Iteration, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { hostCalls } from './hostCalls.ts';

export const kernelWaitNs = 30_000;

export interface StreamIdle {
  /** Lane id, such as 'stream:side'. */
  readonly lane: string;
  readonly operations: number;
  readonly idleNs: number;
  /** Gaps before work that wasn't issued yet. */
  readonly hostWaitNs: number;
  /** Other gaps under 30 µs. */
  readonly kernelWaitNs: number;
  /** Waits for an event, engine, stream or device. */
  readonly otherNs: number;
  /** Time by which work began before earlier work ended. */
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

/** Returns one entry for each stream with activity, in the order of lanes. */
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
