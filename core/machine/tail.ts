/** The last of a row of operations, such as a stream's, for what comes after all of them. */
import { type EngineIndex, noEngine } from './engines.ts';
import type { Dependent, StreamEntry } from './entry.ts';

/** Pending, or complete at a known time. */
export interface Tail {
  entry: StreamEntry | null;
  doneNs: number;
  via: EngineIndex;
  engineNs: number;
}

export const emptyTail = (): Tail => ({
  entry: null,
  doneNs: Number.NEGATIVE_INFINITY,
  via: noEngine,
  engineNs: Number.NEGATIVE_INFINITY,
});

/** Makes `entry` wait for it. */
export function follow(entry: StreamEntry, tail: Tail): void {
  if (tail.entry === null) {
    entry.follow(tail.doneNs, tail.via, tail.engineNs);
  } else {
    tail.entry.dependents.push(entry);
    entry.pending += 1;
  }
}

/** `entry` is complete: so is the row of which it is the last. */
export function settle(tail: Tail, entry: StreamEntry, nowNs: number, via: EngineIndex): void {
  if (tail.entry !== entry) return;
  tail.entry = null;
  tail.doneNs = nowNs;
  tail.via = via;
  tail.engineNs = entry.engineNs;
}

/** Tells `waiter` of its end; of so many ends it will be told. */
export function watch(tail: Tail, waiter: Dependent): number {
  if (tail.entry === null) return 0;
  tail.entry.dependents.push(waiter);
  return 1;
}
