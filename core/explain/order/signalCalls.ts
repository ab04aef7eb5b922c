/**
 * Finds what is complete after a host thread has signalled, or waited for a signal. The n-th wait comes after any n
 * signals (clock.ts, anyOf). A signal that finds the count at its capacity comes after the waits that made room.
 */
import type { Program } from '../../program/program.ts';
import { type Caller, type Calls, countBefore } from './calls.ts';
import { anyOf, type Clock, join, sameClock } from './clock.ts';

/** Limit of signals that may have let a wait through. Beyond it, nothing is certain. */
const mostCandidates = 512;

interface SignalCall {
  readonly position: number;
  /** Clock at which it took effect; null before the first pass reaches it. */
  clock: Clock | null;
}

/** By thread. */
type ByThread = readonly Calls<SignalCall>[];

export class SignalCalls {
  readonly #capacities: readonly number[];
  readonly #signals: readonly ByThread[];
  readonly #waits: readonly ByThread[];

  constructor({ signals, threads }: Program) {
    const none = (): ByThread => threads.map(() => ({ items: [], met: 0 }));
    this.#capacities = signals.map(({ capacity }) => capacity);
    this.#signals = signals.map(none);
    this.#waits = signals.map(none);
  }

  /** Adds a call of the schedule, before the first pass. */
  list(code: 'signal' | 'waitSignal', signal: number, thread: number, position: number): void {
    const calls = code === 'signal' ? this.#signals : this.#waits;
    calls[signal]?.[thread]?.items.push({ position, clock: null });
  }

  restart(): void {
    for (const calls of [...this.#signals, ...this.#waits].flat()) calls.met = 0;
  }

  /** Joins into the caller's clock what the signal comes after. Returns whether this is more than in the last pass. */
  signal(signal: number, call: Caller): boolean {
    return this.#await(this.#signals[signal], this.#waits[signal], -(this.#capacities[signal] ?? 1), call);
  }

  wait(signal: number, call: Caller): boolean {
    return this.#await(this.#waits[signal], this.#signals[signal], 0, call);
  }

  /** Orders the n-th of `own` calls after n + `offset` of the `others`. Repeats, since that may raise n. */
  #await(own: ByThread | undefined, others: ByThread | undefined, offset: number, call: Caller): boolean {
    const { thread, host } = call;
    if (own === undefined || others === undefined) return false;
    for (let known = -1; ; ) {
      const before = own.reduce(
        (sum, { items, met }, from) => sum + (from === thread ? met : countBefore(items, host[from] ?? 0)),
        0,
      );
      const needed = before + 1 + offset;
      if (needed <= known || needed <= 0) break;
      known = needed;
      join(host, afterAny(others, needed, call));
    }
    const calls = own[thread];
    const item = calls?.items[calls.met];
    if (calls === undefined || item === undefined) return false;
    calls.met += 1;
    const clock = host.slice();
    clock[thread] = call.position;
    const learned = !sameClock(item.clock, clock);
    item.clock = clock;
    return learned;
  }
}

/** Returns what is complete when any `needed` of these calls are. */
function afterAny(others: ByThread, needed: number, { thread, position, host: { length: width } }: Caller): Clock {
  const nothing = new Int32Array(width);
  const isPossible = ({ clock }: SignalCall): boolean => (clock?.[thread] ?? 0) < position;
  const used = others.flatMap(({ items, met }, from) => {
    const count = from === thread ? Math.min(met, needed) : countPossible(items, met, needed, isPossible);
    return count === 0 ? [] : { items, count };
  });
  const [only, ...more] = used;
  if (more.length === 0) return only?.count === needed ? (only.items[needed - 1]?.clock ?? nothing) : nothing;
  const total = used.reduce((sum, { count }) => sum + count, 0);
  if (total < needed || total > mostCandidates) return nothing;
  const clocks = used.flatMap(({ items, count }) => {
    let last: Clock = nothing;
    // A call that no pass has reached yet comes after earlier ones of its thread.
    return items.slice(0, count).map(({ clock }) => (last = clock ?? last));
  });
  return anyOf(clocks, needed, width);
}

/** Returns how many of the first `most` items are possible in sequence. Those this pass has met came before. */
function countPossible(
  items: readonly SignalCall[],
  met: number,
  most: number,
  isPossible: (item: SignalCall) => boolean,
): number {
  const end = Math.min(items.length, most);
  let count = Math.min(met, end);
  for (; count < end; count += 1) {
    const item = items[count];
    if (item === undefined || !isPossible(item)) break;
  }
  return count;
}
