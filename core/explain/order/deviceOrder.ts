/**
 * Order of the device in one recorded run, as work was issued: which work had to wait for which. It always follows
 * stream-order, and the rules event-order, legacy-default-stream, graph-launches-in-turn and peer-copy if requested.
 * programOrder.ts finds what holds in every run.
 *
 * Each issued operation gets a clock: for each stream, the position of the last operation known to have completed
 * before it starts. Work is walked in issue order; operations share a clock until a wait changes it.
 */
import { lowerBound } from '../../lowerBound.ts';
import type { ProgramStream } from '../../program/program.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { areTied } from './lanes.ts';
import type { Launch } from './launchedGraphs.ts';

/** One operation, at its place in the order of issue. */
export interface Issued {
  readonly op: number;
  /** other: a memset or a host function. */
  readonly code: 'copy' | 'kernel' | 'recordEvent' | 'waitEvent' | 'synchronize' | 'other';
  /**
   * Stream of issue; -1 for a synchronise of an event or the device. Nodes of a graph are in the stream of its launch;
   * its branches have streams of their own that the program doesn't have.
   */
  readonly stream: number;
  /** Event that is recorded or waited for, also by a synchronise; otherwise -1. */
  readonly event: number;
  /** Only for a synchronise of the device. */
  readonly device: number;
  /** Host thread, as an index that only distinguishes threads. */
  readonly thread: number;
  /** For nodes of a graph, the launch that ran them. */
  readonly launch: Launch | null;
  /** Devices on which nothing else runs at the same time. */
  readonly alone: readonly number[];
  /** Row of its device activity; -1 if the trace has none. */
  readonly row: RowIndex;
}

/** Operations in order of issue. Can be an array; millions may be created on request. */
export interface IssuedWork {
  readonly length: number;
  /** Returns the operation at a position from 0 on. */
  at(position: number): Issued | undefined;
}

/** Last completed position in issue order, by stream. */
type Clock = ReadonlyMap<number, number>;

const noClock: Clock = new Map();

/** A position of a stream, with the clock of the operation there. */
interface Point {
  readonly stream: number;
  readonly position: number;
  readonly clock: Clock;
}

/** Synchronises that waited for more of a stream than all before them, and the position up to which they did. */
interface Reached {
  readonly positions: number[];
  readonly completed: number[];
}

/** Launches of one graph: the latest, its last operations so far, and the last operations of the launch before. */
interface Turns {
  launch: Launch;
  ends: Map<number, Point>;
  before: readonly Point[];
}

export const orderRules = ['events', 'legacy', 'launches', 'alone'] as const;
export type OrderRule = (typeof orderRules)[number];

export class DeviceOrder {
  readonly #issued: IssuedWork;
  readonly #streams: readonly ProgramStream[];
  readonly #rules: ReadonlySet<OrderRule>;
  readonly #clocks: Clock[] = [noClock];
  /** Index in #clocks of each operation's clock, by position; many share one. */
  readonly #clockAt: Int32Array;
  /** Position + 1 of the operation before in the same stream, by position; 0 if there is none. */
  readonly #previous: Int32Array;
  /** Clock at the current end of each stream. */
  readonly #clockOf = new Map<number, Clock>();
  readonly #lastIn = new Map<number, number>();
  readonly #recorded = new Map<number, Point>();
  /** Streams with work that the legacy default stream ties to a stream. */
  readonly #tied = new Map<number, readonly number[]>();
  readonly #turns = new Map<object, Turns>();
  /** Last work that ran alone on each device. */
  readonly #alone = new Map<number, Point>();
  /** Latest clock made by #clockAfter, by stream, and the point that it comes after. */
  readonly #after = new Map<number, Clock>();
  readonly #pointOf = new WeakMap<Clock, Point>();
  /** Work that the synchronises of a host thread have waited for so far, by thread and stream. */
  readonly #synchronisedBy = new Map<number, Map<number, Reached>>();

  /** `streams` may be empty, for a trace without an experiment: then no stream is the legacy default stream. */
  constructor(issued: IssuedWork, streams: readonly ProgramStream[], rules: readonly OrderRule[]) {
    this.#issued = issued;
    this.#streams = streams;
    this.#rules = new Set(rules);
    this.#clockAt = new Int32Array(issued.length);
    this.#previous = new Int32Array(issued.length);
    for (let position = 0; position < issued.length; position += 1) {
      const clock = this.#step(issued.at(position) as Issued, position);
      if (clock === noClock) continue;
      if (clock !== this.#clocks.at(-1)) this.#clocks.push(clock);
      this.#clockAt[position] = this.#clocks.length - 1;
    }
  }

  #clock(position: number): Clock {
    return this.#clocks[this.#clockAt[position] ?? 0] ?? noClock;
  }

  /** Returns whether the operation at `a` has completed before the one at `b` starts (or returns, if a synchronise). */
  before(a: number, b: number): boolean {
    if (a < 0 || a >= b) return false;
    const [first, second] = [this.#issued.at(a), this.#issued.at(b)];
    if (first === undefined || second === undefined || first.code === 'synchronize') return false;
    if (first.stream === second.stream && second.code !== 'synchronize') return true;
    return (this.#clock(b).get(first.stream) ?? -1) >= a;
  }

  /** Returns the first of a stream's ascending `positions` that starts after the operation at `a`; or null. */
  firstAfter(a: number, positions: Int32Array): number | null {
    // If one operation of a stream comes after `a`, so do all later ones.
    const at = lowerBound(0, positions.length, (k) => !this.before(a, positions[k] ?? 0));
    return positions[at] ?? null;
  }

  /** Returns the position of this thread's first synchronise that waited for the operation at `a`; or null. */
  firstSynchronised(a: number, thread: number): number | null {
    const first = this.#issued.at(a);
    if (first === undefined) return null;
    const reached = this.#synchronisedBy.get(thread)?.get(first.stream);
    if (reached === undefined) return null;
    const at = lowerBound(0, reached.completed.length, (k) => (reached.completed[k] ?? 0) < a);
    return reached.positions[at] ?? null;
  }

  /** Returns the last position of each stream, including its own, that completes before the operation at `b` starts. */
  frontier(b: number): number[] {
    const own = this.#issued.at(b)?.stream;
    const others = [...this.#clock(b)].filter(([stream]) => stream !== own).map(([, position]) => position);
    const before = (this.#previous[b] ?? 0) - 1;
    return before < 0 ? others : [...others, before];
  }

  #step(one: Issued, position: number): Clock {
    if (one.code !== 'synchronize') this.#previous[position] = (this.#lastIn.get(one.stream) ?? -1) + 1;
    if (one.code === 'synchronize') {
      const clock = this.#synchronised(one);
      this.#reach(one.thread, position, clock);
      return clock;
    }
    let clock = this.#clockOf.get(one.stream) ?? noClock;
    if (this.#rules.has('legacy')) clock = this.#joined(clock, this.#waitedFor(one.stream), one.stream);
    if (this.#rules.has('events') && one.code === 'waitEvent') {
      const recorded = this.#recorded.get(one.event);
      if (recorded !== undefined) clock = this.#joined(clock, [recorded], one.stream);
    }
    if (one.launch !== null && this.#rules.has('launches')) {
      clock = this.#joined(clock, this.#launchBefore(one.launch), one.stream);
    }
    if (this.#rules.has('alone')) clock = this.#joined(clock, this.#aloneBefore(one), one.stream);
    this.#clockOf.set(one.stream, clock);
    if (!this.#lastIn.has(one.stream)) this.#tied.clear();
    this.#lastIn.set(one.stream, position);
    if (one.code === 'recordEvent') this.#recorded.set(one.event, { stream: one.stream, position, clock });
    if (one.launch !== null) {
      this.#turns.get(one.launch.graph)?.ends.set(one.stream, { stream: one.stream, position, clock });
    }
    for (const device of one.alone) this.#alone.set(device, { stream: one.stream, position, clock });
    return clock;
  }

  /** Returns the last operations of the graph's launch before this one. */
  #launchBefore(launch: Launch): readonly Point[] {
    const turns = this.#turns.get(launch.graph) ?? { launch, ends: new Map<number, Point>(), before: [] };
    this.#turns.set(launch.graph, turns);
    if (turns.launch !== launch) {
      turns.launch = launch;
      turns.before = [...turns.ends.values()];
      turns.ends = new Map();
    }
    return turns.before;
  }

  /** Returns work that ran alone on the device. For an operation that runs alone, adds all work of its devices. */
  #aloneBefore({ stream, alone }: Issued): Point[] {
    const device = this.#streams[stream]?.device ?? -1;
    const points = [device, ...alone].flatMap((one) => this.#alone.get(one) ?? []);
    if (alone.length === 0) return points;
    const given = [...this.#lastIn.keys()].filter((one) => alone.includes(this.#streams[one]?.device ?? -1));
    return [...points, ...given.map((one) => this.#endOf(one))];
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

  /** Returns what has completed when a synchronise returns. Independent of #rules, since the host really waits. */
  #synchronised(one: Issued): Clock {
    if (one.event >= 0) {
      const recorded = this.#recorded.get(one.event);
      return recorded === undefined ? noClock : this.#clockAfter(recorded);
    }
    if (this.#streams[one.stream]?.kind === 'legacy-default') {
      const own = this.#lastIn.has(one.stream) ? [this.#endOf(one.stream)] : [];
      return this.#joined(noClock, [...own, ...this.#waitedFor(one.stream)], -1);
    }
    if (one.stream >= 0) return this.#lastIn.has(one.stream) ? this.#clockAfter(this.#endOf(one.stream)) : noClock;
    const meant = [...this.#lastIn.keys()].filter((stream) => this.#streams[stream]?.device === one.device);
    return this.#joined(
      noClock,
      meant.map((stream) => this.#endOf(stream)),
      -1,
    );
  }

  /** Returns the ends of the streams that a new operation waits for because of the legacy default stream. */
  #waitedFor(stream: number): Point[] {
    const own = this.#streams[stream];
    const known = this.#tied.get(stream);
    const tied = known ?? [...this.#lastIn.keys()].filter((other) => areTied(own, this.#streams[other]));
    if (known === undefined) this.#tied.set(stream, tied);
    return tied.map((other) => this.#endOf(other));
  }

  /** Returns the current end of a stream. */
  #endOf(stream: number): Point {
    return { stream, position: this.#lastIn.get(stream) ?? -1, clock: this.#clockOf.get(stream) ?? noClock };
  }

  /** Returns the clock of operations that start after a point; operations after the same point share it. */
  #clockAfter(point: Point): Clock {
    const known = this.#after.get(point.stream);
    if (known !== undefined && this.#pointOf.get(known)?.position === point.position) return known;
    const clock = new Map(point.clock).set(point.stream, point.position);
    this.#after.set(point.stream, clock);
    this.#pointOf.set(clock, point);
    return clock;
  }

  /** Joins `clock` with these points for a new operation in `stream`. Returns the same object if they add nothing. */
  #joined(clock: Clock, points: readonly Point[], stream: number): Clock {
    const isAsBefore = clock === (this.#clockOf.get(stream) ?? noClock);
    let joined: Map<number, number> | null = null;
    for (const point of points) {
      // Knowing a position of a stream includes all that had been waited for there.
      const isKnown = ({ stream: other, position }: Point): boolean =>
        other === stream || position <= ((joined ?? clock).get(other) ?? -1);
      if (isKnown(point)) continue;
      if (points.length === 1 && isAsBefore && (point.clock.get(stream) ?? -1) >= (this.#lastIn.get(stream) ?? -1)) {
        return this.#clockAfter(point);
      }
      joined ??= new Map(clock);
      const behind = this.#pointOf.get(point.clock);
      if (behind === undefined || !isKnown(behind)) joinInto(joined, point.clock);
      joined.set(point.stream, point.position);
    }
    return joined ?? clock;
  }
}

/** Sets each stream of `target` to the later position of both. */
function joinInto(target: Map<number, number>, clock: Clock): void {
  for (const [stream, position] of clock) {
    if (position > (target.get(stream) ?? -1)) target.set(stream, position);
  }
}
