/**
 * Finds kernels of two streams where one always began only after the other's had ended, although the trace has no
 * reason for it, for example because event calls weren't recorded. The order is kept if nothing else explains it: one
 * was issued while the other still ran, or one communicates what the other computes.
 */

import { lowerBound } from '../lowerBound.ts';
import { inOrder } from '../trace/inOrder.ts';
import { rowKind } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { LaneIndex, RowIndex, Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';
import { isCommunication } from './classes.ts';
import { slackNs } from './likelyRecord.ts';

export interface StreamOrder {
  /** Streams whose earlier work a call's work waits for, by the call's place. */
  readonly before: ReadonlyMap<number, readonly LaneIndex[]>;
  /** Pairs of streams that wait for each other. */
  readonly inTurn: readonly (readonly [LaneIndex, LaneIndex])[];
}

interface Launched {
  readonly lane: LaneIndex;
  readonly issuedNs: number;
  readonly startNs: number;
  readonly endNs: number;
  readonly communicates: boolean;
}

interface Pair {
  readonly places: number[];
  isContradicted: boolean;
  isKnown: boolean;
}

type FirstOf = (activities: readonly RowIndex[]) => RowIndex | undefined;

/** Limit of streams, the most recently used ones: a hostile trace has thousands. */
const mostStreams = 16;

export function streamOrder(
  trace: Trace,
  calls: Calls,
  steps: readonly { readonly from: number; readonly to: number }[],
  firstOf: FirstOf,
): StreamOrder {
  const pairs = new Map<LaneIndex, Map<LaneIndex, Pair>>();
  const communicates = trace.names.map(isCommunication);
  const last = new Map<LaneIndex, Launched & { readonly number: number }>();
  let number = 0;
  for (const { from, to } of steps) {
    for (let place = from; place < to; place += 1) {
      const work = launchedBy(trace, calls, place, firstOf, communicates);
      if (work === null) continue;
      const since = last.get(work.lane)?.number ?? -1;
      for (const other of [...last.values()].slice(-mostStreams)) {
        if (other.lane !== work.lane && other.number >= since)
          note(pairOf(pairs, other.lane, work.lane), place, other, work, trace);
      }
      last.delete(work.lane);
      last.set(work.lane, { ...work, number });
      number += 1;
    }
  }
  return orderOf(pairs);
}

function pairOf(pairs: Map<LaneIndex, Map<LaneIndex, Pair>>, first: LaneIndex, second: LaneIndex): Pair {
  const behind = pairs.get(first) ?? new Map<LaneIndex, Pair>();
  pairs.set(first, behind);
  const pair = behind.get(second) ?? { places: [], isContradicted: false, isKnown: false };
  behind.set(second, pair);
  return pair;
}

function note(pair: Pair, place: number, first: Launched, second: Launched, { lanes }: Trace): void {
  if (first.endNs > second.startNs + slackNs) pair.isContradicted = true;
  const wasIssued = second.issuedNs < first.endNs;
  const isOfOne = lanes[first.lane]?.device === lanes[second.lane]?.device;
  if (wasIssued || (isOfOne && first.communicates !== second.communicates)) pair.isKnown = true;
  pair.places.push(place);
}

function orderOf(pairs: ReadonlyMap<LaneIndex, ReadonlyMap<LaneIndex, Pair>>): StreamOrder {
  const before = new Map<number, LaneIndex[]>();
  const inTurn: [LaneIndex, LaneIndex][] = [];
  const isKept = (pair: Pair | undefined): pair is Pair => pair?.isKnown === true && !pair.isContradicted;
  for (const [first, behind] of pairs) {
    for (const [second, pair] of behind) {
      if (!isKept(pair)) continue;
      if (first < second && isKept(pairs.get(second)?.get(first))) inTurn.push([first, second]);
      for (const place of pair.places) {
        const known = before.get(place);
        if (known === undefined) before.set(place, [first]);
        else known.push(first);
      }
    }
  }
  return { before, inTurn };
}

/** Returns the kernels that a call launched; null if it launched none. */
function launchedBy(
  trace: Trace,
  calls: Calls,
  place: number,
  firstOf: FirstOf,
  communicates: readonly boolean[],
): Launched | null {
  if (calls.firstActivity(place) < 0) return null;
  const activities = calls.activities(place);
  const first = firstOf(activities);
  if (first === undefined || (activities.length === 1 && rowKind(trace, first) !== 'kernel')) return null;
  const { lane, startNs, name } = trace.columns;
  return {
    lane: lane[first] ?? -1,
    issuedNs: calls.startNs(place),
    startNs: activities.reduce((start, row) => Math.min(start, startNs[row] ?? 0), Number.POSITIVE_INFINITY),
    endNs: rowEndNs(trace, lastToEnd(trace, activities)),
    communicates: communicates[name[first] ?? -1] === true,
  };
}

/** Limit of searched rows, which only a damaged trace reaches: work that ended by then was issued by then. */
const mostLooked = 64;

/** Finds what a host wait may have been for: work that was issued before it and had ended when it returned. */
export class EndedWork {
  readonly #trace: Trace;
  /** In order of end. */
  readonly #rows: Int32Array;

  /** `rows`: the result of lastToEnd() for each call. */
  constructor(trace: Trace, rows: readonly RowIndex[]) {
    this.#trace = trace;
    this.#rows = inOrder(Int32Array.from(rows), (row) => rowEndNs(trace, row));
  }

  /** Returns the issued work that ended last by a time; -1 if there is none. */
  by(ns: number, isIssued: (row: RowIndex) => boolean): RowIndex {
    const ended = lowerBound(0, this.#rows.length, (at) => rowEndNs(this.#trace, this.#rows[at] ?? -1) <= ns);
    const last = this.#rows.subarray(Math.max(0, ended - mostLooked), ended).findLast(isIssued);
    return last ?? -1;
  }
}

/** Returns the activity of a call that ends last. An event can only come after all of them. */
export function lastToEnd(trace: Trace, activities: readonly RowIndex[]): RowIndex {
  return activities.reduce(
    (last, row) => (rowEndNs(trace, row) > rowEndNs(trace, last) ? row : last),
    activities[0] ?? -1,
  );
}
