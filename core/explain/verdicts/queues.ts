/** How full a stream's queue was when something was issued to it. Rule (core/rules): launch-queue. */

import { lowerBound } from '../../lowerBound.ts';
import { type Iteration, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { hostCalls } from '../figures/hostCalls.ts';

/** A queue counts as full from this share of its depth on, because no clock counts the pending work exactly. */
const fullPart = 0.95;

interface Times {
  /** Ascending. */
  readonly issuedNs: Float64Array;
  readonly completedNs: Float64Array;
}

export class StreamQueues {
  readonly #iteration: Iteration;
  readonly #depth: number;
  #streams: ReadonlyMap<number, Times> | null = null;

  constructor(iteration: Iteration, depth: number) {
    this.#iteration = iteration;
    this.#depth = depth;
  }

  /** Whether any stream got as many operations as its queue holds. */
  get mayFill(): boolean {
    this.#streams ??= streamTimes(this.#iteration);
    return [...this.#streams.values()].some(({ issuedNs }) => issuedNs.length >= fullPart * this.#depth);
  }

  /** Returns whether the stream's queue was full at this call. False if the call issued nothing. */
  wasFull(call: RowIndex): boolean {
    const { trace } = this.#iteration;
    const activity = hostCalls(this.#iteration).activityOf(call);
    if (activity === undefined) return false;
    return this.pending(trace.columns.lane[activity] ?? -1, rowStart(trace, call)) >= fullPart * this.#depth;
  }

  /** Returns the number of operations that had been issued to a stream and had not completed. */
  pending(lane: number, atNs: number): number {
    this.#streams ??= streamTimes(this.#iteration);
    const times = this.#streams.get(lane);
    return times === undefined ? 0 : countUntil(times.issuedNs, atNs) - countUntil(times.completedNs, atNs);
  }
}

const countUntil = (times: Float64Array, atNs: number): number =>
  lowerBound(0, times.length, (index) => (times[index] ?? 0) < atNs);

function streamTimes(iteration: Iteration): Map<number, Times> {
  const { trace } = iteration;
  const lists = new Map<number, { readonly issued: number[]; readonly completed: number[] }>();
  for (const [row, call] of hostCalls(iteration)) {
    const lane = trace.columns.lane[row] ?? -1;
    const known = lists.get(lane) ?? { issued: [], completed: [] };
    lists.set(lane, known);
    known.issued.push(rowStart(trace, call));
    known.completed.push(rowEndNs(trace, row));
  }
  return new Map(
    [...lists].map(([lane, { issued, completed }]) => [
      lane,
      { issuedNs: Float64Array.from(issued).sort(), completedNs: Float64Array.from(completed).sort() },
    ]),
  );
}
