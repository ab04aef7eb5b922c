/** The last of a sequence of operations, such as a stream's, which later operations wait for. */
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

/** Marks the sequence as complete if `entry` is its last operation. */
export function settle(tail: Tail, entry: StreamEntry, nowNs: number, via: EngineIndex): void {
  if (tail.entry !== entry) return;
  tail.entry = null;
  tail.doneNs = nowNs;
  tail.via = via;
  tail.engineNs = entry.engineNs;
}

/** Makes `waiter` depend on it. Returns the number of operations to wait for. */
export function watch(tail: Tail, waiter: Dependent): number {
  if (tail.entry === null) return 0;
  tail.entry.dependents.push(waiter);
  return 1;
}
