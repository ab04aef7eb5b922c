/**
 * Work that was issued to a stream and had not begun, over time:
 *
 *   length   = +1 at the start of a call that issued work to the stream, -1 at the start of that work on the device
 *   blocked  = time during which length >= depth: the queue is full, and the next call waits
 *
 * Only work with a recorded call counts. Same as Holistic Trace Analysis's queue length, whose depth is 1024; on an H200
 * the host blocked at the 1,022nd pending operation (rule launch-queue).
 */

import { type Iteration, makespan, rowStart } from '../../trace/iteration.ts';
import { hostCalls } from './hostCalls.ts';
import { share } from './overlap.ts';

export const defaultQueueDepth = 1024;

/** A step function: the length is length[i] from timeNs[i] on. */
export interface QueueSeries {
  /** Index of the stream's lane. */
  readonly lane: number;
  readonly timeNs: Float64Array;
  readonly length: Int32Array;
}

export interface QueueUse {
  /** Lane id of the stream. */
  readonly lane: string;
  /** Activities with a recorded call. */
  readonly operations: number;
  /** Most work waiting. */
  readonly longest: number;
  /** Mean length from the first call to the last start; null if that time is 0. */
  readonly mean: number | null;
  /** Length of a full queue. */
  readonly depth: number;
  /** Time at `depth` or above. */
  readonly blockedNs: number;
  /** blockedNs divided by the makespan. */
  readonly shareOfMakespan: number | null;
}

/** Returns one entry for each stream to which a recorded call issued work, in the order of lanes. */
export function queueSeries(iteration: Iteration): QueueSeries[] {
  const { trace } = iteration;
  const times = new Map<number, { readonly issued: number[]; readonly begun: number[] }>();
  for (const [row, call] of hostCalls(iteration)) {
    const lane = trace.columns.lane[row] ?? -1;
    const known = times.get(lane) ?? { issued: [], begun: [] };
    times.set(lane, known);
    known.issued.push(rowStart(trace, call));
    known.begun.push(rowStart(trace, row));
  }
  return [...times].sort(([a], [b]) => a - b).map(([lane, { issued, begun }]) => series(lane, issued, begun));
}

function series(lane: number, issuedTimes: readonly number[], begunTimes: readonly number[]): QueueSeries {
  const [issued, begun] = [Float64Array.from(issuedTimes).sort(), Float64Array.from(begunTimes).sort()];
  const points = issued.length + begun.length;
  const [timeNs, length] = [new Float64Array(points), new Int32Array(points)];
  for (let [i, j] = [0, 0]; i + j < points; ) {
    // At equal times the call comes first: nothing begins before it was issued.
    const next = i < issued.length && (issued[i] ?? 0) <= (begun[j] ?? Number.POSITIVE_INFINITY);
    const before = i + j === 0 ? 0 : (length[i + j - 1] ?? 0);
    timeNs[i + j] = (next ? issued[i] : begun[j]) ?? 0;
    length[i + j] = before + (next ? 1 : -1);
    if (next) i += 1;
    else j += 1;
  }
  return { lane, timeNs, length };
}

export function queueUse(iteration: Iteration, depth: number = defaultQueueDepth): QueueUse[] {
  const span = makespan(iteration) ?? 0;
  return queueSeries(iteration).map((queue) => use(iteration, queue, depth, span));
}

function use({ trace }: Iteration, { lane, timeNs, length }: QueueSeries, depth: number, span: number): QueueUse {
  let [longest, blockedNs, sum] = [0, 0, 0];
  for (let point = 0; point < length.length; point += 1) {
    const here = length[point] ?? 0;
    const lasts = (timeNs[point + 1] ?? timeNs[point] ?? 0) - (timeNs[point] ?? 0);
    longest = Math.max(longest, here);
    sum += here * lasts;
    if (here >= depth) blockedNs += lasts;
  }
  const lasted = (timeNs.at(-1) ?? 0) - (timeNs[0] ?? 0);
  return {
    lane: trace.lanes[lane]?.id ?? '',
    operations: length.length / 2,
    longest,
    mean: share(sum, lasted),
    depth,
    blockedNs,
    shareOfMakespan: share(blockedNs, span),
  };
}
