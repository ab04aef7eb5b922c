/** Joins device activities with the host calls that issued them. */

import { append } from '../../groupBy.ts';
import { rememberedBy } from '../../rememberedBy.ts';
import type { Iteration } from '../../trace/iteration.ts';
import { RowsByNumber } from '../../trace/rowsByNumber.ts';
import { laneKindOf } from '../../trace/rules.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';

const callCode = rowKinds.indexOf('host-call');
const isActivity = Uint8Array.from(rowKinds, (kind) => (laneKindOf(kind) === 'stream' ? 1 : 0));

/** Maps each activity to its host call. */
export class HostCalls {
  readonly #begin: number;
  /** Call + 1 by row from #begin, or 0. Memory that is never written takes no space. */
  readonly #calls: Int32Array;
  /** First activity of a call + 1, by row from #begin, or 0. */
  #activities: Int32Array | null = null;

  constructor({ trace, begin, end }: Iteration) {
    this.#begin = begin;
    this.#calls = new Int32Array(end - begin);
    if (!this.#joinByCorrelation(trace, end)) this.#joinByOperation(trace, end);
  }

  /** Joins by correlation. Returns whether every activity got its call. */
  #joinByCorrelation({ columns: { correlation, kind } }: Trace, end: RowIndex): boolean {
    const begin = this.#begin;
    const first = new RowsByNumber(correlation, begin, end);
    for (let row = begin; row < end; row += 1) {
      const number = kind[row] === callCode ? (correlation[row] as number) : 0;
      if (number !== 0 && first.get(number) < 0) first.set(number, row);
    }
    let all = true;
    for (let row = begin; row < end; row += 1) {
      if (isActivity[kind[row] as number] !== 1) continue;
      const call = first.get(correlation[row] as number);
      if (call < 0) all = false;
      else this.#calls[row - begin] = call + 1;
    }
    return all;
  }

  /** Joins activities without a call: the n-th activity of an operation belongs to its n-th call. */
  #joinByOperation({ columns: { op, kind } }: Trace, end: RowIndex): void {
    const begin = this.#begin;
    const calls = new Map<number, RowIndex[]>();
    for (let row = begin; row < end; row += 1) {
      if (kind[row] === callCode && (op[row] as number) >= 0) append(calls, op[row] as number, row);
    }
    const seen = new Map<number, number>();
    for (let row = begin; row < end; row += 1) {
      const number = op[row] as number;
      if (isActivity[kind[row] as number] !== 1 || number < 0) continue;
      const occurrence = seen.get(number) ?? 0;
      seen.set(number, occurrence + 1);
      const call = calls.get(number)?.[occurrence];
      if (call !== undefined && this.#calls[row - begin] === 0) this.#calls[row - begin] = call + 1;
    }
  }

  /** Returns undefined if the trace lacks the call. */
  get(activity: RowIndex): RowIndex | undefined {
    const call = this.#calls[activity - this.#begin] ?? 0;
    return call === 0 ? undefined : call - 1;
  }

  /** Returns whether a row is the call of an activity. */
  isJoined(call: RowIndex): boolean {
    return this.activityOf(call) !== undefined;
  }

  /** Returns the first activity that a call issued; undefined if the trace has none. */
  activityOf(call: RowIndex): RowIndex | undefined {
    this.#activities ??= this.#firstActivities();
    const activity = this.#activities[call - this.#begin] ?? 0;
    return activity === 0 ? undefined : activity - 1;
  }

  #firstActivities(): Int32Array {
    const [calls, begin] = [this.#calls, this.#begin];
    const activities = new Int32Array(calls.length);
    for (let at = calls.length - 1; at >= 0; at -= 1) {
      const call = calls[at] as number;
      if (call > 0) activities[call - 1 - begin] = begin + at + 1;
    }
    return activities;
  }

  /** Yields every activity with a call, and the call, in order of start. */
  *[Symbol.iterator](): Generator<readonly [activity: RowIndex, call: RowIndex]> {
    for (const [index, call] of this.#calls.entries()) if (call > 0) yield [index + this.#begin, call - 1];
  }
}

/**
 * Returns the host calls of an iteration. Joins by correlation if the trace has it. Otherwise the n-th activity of an
 * operation belongs to its n-th call, since a stream runs its work in issue order.
 */
export const hostCalls = rememberedBy((iteration: Iteration) => new HostCalls(iteration));
