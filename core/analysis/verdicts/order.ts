/**
 * Which work had to wait for which, by the rules of streams (stream-order, event-order, legacy-default-stream).
 *
 * Every issued operation gets a clock: for each stream, the position of the last operation that is known to have
 * completed before it starts. Work is walked in issue order; a clock is shared until a wait changes it.
 */
import type { ProgramStream } from '../../program/program.ts';
import { lowerBound } from '../../trace/rows.ts';
import { isBlocking } from './facts.ts';
import type { Issued } from './issue.ts';

/** Stream to position in issue order. */
type Clock = ReadonlyMap<number, number>;

const noClock: Clock = new Map();

/** The synchronises that waited for more of a stream than any before them, and up to what position of it. */
interface Reached {
  readonly positions: number[];
  readonly completed: number[];
}

export interface OrderRules {
  readonly events: boolean;
  readonly legacy: boolean;
}

export class DeviceOrder {
  readonly #issued: readonly Issued[];
  readonly #streams: readonly ProgramStream[];
  readonly #rules: OrderRules;
  /** Clock of each operation, by position. */
  readonly #clocks: Clock[] = [];
  /** The operation before each in its own stream, by position; -1 for none. */
  readonly #previous: number[] = [];
  /** As it stands at the end of each stream so far. */
  readonly #clockOf = new Map<number, Clock>();
  readonly #lastIn = new Map<number, number>();
  readonly #recorded = new Map<number, Clock>();
  /** By host thread and stream: what its synchronises have waited for so far. */
  readonly #synchronisedBy = new Map<number, Map<number, Reached>>();

  /** `streams` may be empty, for a trace without an experiment: then no stream is the legacy default stream. */
  constructor(issued: readonly Issued[], streams: readonly ProgramStream[], rules: OrderRules) {
    this.#issued = issued;
    this.#streams = streams;
    this.#rules = rules;
    for (const [position, one] of issued.entries()) this.#clocks.push(this.#step(one, position));
  }

  /** Whether the operation at position `a` has completed before the one at `b` starts (or, for a synchronise, returns). */
  before(a: number, b: number): boolean {
    const [first, second] = [this.#issued[a], this.#issued[b]];
    if (first === undefined || second === undefined || a >= b || first.code === 'synchronize') return false;
    if (first.stream === second.stream && second.code !== 'synchronize') return true;
    return (this.#clocks[b]?.get(first.stream) ?? -1) >= a;
  }

  /** The first of `positions`, which ascend in one stream, that the operation at `a` has completed before; null for none. */
  firstAfter(a: number, positions: Int32Array): number | null {
    // What one operation of a stream had waited for, all later ones have waited for too.
    const at = lowerBound(0, positions.length, (k) => !this.before(a, positions[k] ?? 0));
    return positions[at] ?? null;
  }

  /** Position of the first synchronise of this host thread that has waited for the operation at `a`; null for none. */
  firstSynchronised(a: number, thread: number): number | null {
    const first = this.#issued[a];
    if (first === undefined) return null;
    const reached = this.#synchronisedBy.get(thread)?.get(first.stream);
    if (reached === undefined) return null;
    const at = lowerBound(0, reached.completed.length, (k) => (reached.completed[k] ?? 0) < a);
    return reached.positions[at] ?? null;
  }

  /** The last position of each stream that has completed before the operation at `b` starts, its own stream's too. */
  frontier(b: number): number[] {
    const own = this.#issued[b]?.stream;
    const others = [...(this.#clocks[b] ?? noClock)]
      .filter(([stream]) => stream !== own)
      .map(([, position]) => position);
    const before = this.#previous[b] ?? -1;
    return before < 0 ? others : [...others, before];
  }

  #step(one: Issued, position: number): Clock {
    this.#previous.push(one.code === 'synchronize' ? -1 : (this.#lastIn.get(one.stream) ?? -1));
    if (one.code === 'synchronize') {
      const clock = this.#synchronised(one);
      this.#reach(one.thread, position, clock);
      return clock;
    }
    let clock = this.#clockOf.get(one.stream) ?? noClock;
    if (this.#rules.legacy) {
      for (const other of this.#waitedFor(one.stream)) {
        // What is known of a stream is known with all that had been waited for there.
        if ((this.#lastIn.get(other) ?? -1) > (clock.get(other) ?? -1)) clock = join(clock, this.#upTo(other));
      }
    }
    if (this.#rules.events && one.code === 'waitEvent') clock = join(clock, this.#recorded.get(one.event) ?? noClock);
    this.#clockOf.set(one.stream, clock);
    this.#lastIn.set(one.stream, position);
    if (one.code === 'recordEvent') this.#recorded.set(one.event, this.#upTo(one.stream));
    return clock;
  }

  #reach(thread: number, position: number, clock: Clock): void {
    const byStream = this.#synchronisedBy.get(thread) ?? new Map<number, Reached>();
    this.#synchronisedBy.set(thread, byStream);
    for (const [stream, completed] of clock) {
      const reached = byStream.get(stream) ?? { positions: [], completed: [] };
      byStream.set(stream, reached);
      if (completed <= (reached.completed.at(-1) ?? -1)) continue;
      reached.positions.push(position);
      reached.completed.push(completed);
    }
  }

  /** What has completed when a synchronise returns. Holds whatever the rules asked for: the host waits for real. */
  #synchronised(one: Issued): Clock {
    if (one.event >= 0) return this.#recorded.get(one.event) ?? noClock;
    if (one.stream >= 0) return this.#upTo(one.stream);
    let clock = noClock;
    for (const stream of this.#lastIn.keys()) {
      if (this.#streams[stream]?.device === one.device) clock = join(clock, this.#upTo(stream));
    }
    return clock;
  }

  /** Streams whose earlier work a new operation in `stream` waits for because of the legacy default stream. */
  #waitedFor(stream: number): number[] {
    const own = this.#streams[stream];
    const waits = (other: ProgramStream | undefined): boolean =>
      own?.device === other?.device &&
      ((own?.kind === 'legacy-default' && isBlocking(other)) || (isBlocking(own) && other?.kind === 'legacy-default'));
    if (own === undefined) return [];
    return [...this.#lastIn.keys()].filter((other) => waits(this.#streams[other]));
  }

  /** Everything in the stream so far, and what that had waited for. */
  #upTo(stream: number): Clock {
    return join(this.#clockOf.get(stream) ?? noClock, new Map([[stream, this.#lastIn.get(stream) ?? -1]]));
  }
}

/** The later of the two in each stream; the same object where that is all of `a`. */
function join(a: Clock, b: Clock): Clock {
  let joined: Map<number, number> | null = null;
  for (const [stream, position] of b) {
    if (position <= (a.get(stream) ?? -1)) continue;
    joined ??= new Map(a);
    joined.set(stream, position);
  }
  return joined ?? a;
}
