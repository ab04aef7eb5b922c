/**
 * The order of the device, as things were issued in one recorded run; what must be so in every run is told by
 * programOrder.ts. Which work had to wait for which: by stream-order, and by those of event-order, legacy-default-stream,
 * graph-launches-in-turn and peer-copy that are asked for.
 *
 * Every issued operation gets a clock: for each stream, the position of the last operation that is known to have
 * completed before it starts. Work is walked in issue order; a clock is shared until a wait changes it.
 */
import { lowerBound } from '../lowerBound.ts';
import type { ProgramStream } from '../program/program.ts';
import type { RowIndex } from '../trace/trace.ts';
import type { Launch } from './launchedGraphs.ts';
import { areTied } from './ties.ts';

/** One operation, at its place in the order of issue. */
export interface Issued {
  readonly op: number;
  /** other: a memset or a host function. */
  readonly code: 'copy' | 'kernel' | 'recordEvent' | 'waitEvent' | 'synchronize' | 'other';
  /**
   * Stream it is issued to; -1 for a synchronise of an event or the device. What a graph holds is in the stream that the
   * graph is launched in, and its branches are in streams of their own, which the program doesn't have.
   */
  readonly stream: number;
  /** Event recorded or waited for, also by a synchronise; -1 otherwise. */
  readonly event: number;
  /** Only for a synchronise of the device. */
  readonly device: number;
  /** Host thread, as an index that only tells threads apart. */
  readonly thread: number;
  /** Of what a graph holds: the launch that ran it. */
  readonly launch: Launch | null;
  /** Devices on which nothing runs beside it. */
  readonly alone: readonly number[];
  /** Its device activity; -1 where the trace holds none. */
  readonly row: RowIndex;
}

/** Operations in the order of issue. A list of them is one; of millions they may be made as they are asked for. */
export interface IssuedWork {
  readonly length: number;
  /** Of a place from 0 on. */
  at(position: number): Issued | undefined;
}

/** Stream to position in issue order. */
type Clock = ReadonlyMap<number, number>;

const noClock: Clock = new Map();

/** All of a stream up to a position: what had completed before that operation, and itself. */
interface Point {
  readonly stream: number;
  readonly position: number;
  readonly clock: Clock;
}

/** The synchronises that waited for more of a stream than any before them, and up to what position of it. */
interface Reached {
  readonly positions: number[];
  readonly completed: number[];
}

/** Of one graph: its launch that was issued last, how far that one came, and the ends of the launch before. */
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
  /** Place of each operation's clock in #clocks, by position: many share one. */
  readonly #clockAt: Int32Array;
  /** The operation before each in its own stream + 1, by position; 0 for none. */
  readonly #previous: Int32Array;
  /** As it stands at the end of each stream so far. */
  readonly #clockOf = new Map<number, Clock>();
  readonly #lastIn = new Map<number, number>();
  readonly #recorded = new Map<number, Point>();
  /** By stream: those that hold work, and that the legacy default stream ties to it. */
  readonly #tied = new Map<number, readonly number[]>();
  readonly #turns = new Map<object, Turns>();
  /** By device: what ran alone there last. */
  readonly #alone = new Map<number, Point>();
  /** By stream: the clock that was made last for what starts after one of its points; and of which point each is. */
  readonly #after = new Map<number, Clock>();
  readonly #pointOf = new WeakMap<Clock, Point>();
  /** By host thread and stream: what its synchronises have waited for so far. */
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

  /** Whether the operation at position `a` has completed before the one at `b` starts (or, for a synchronise, returns). */
  before(a: number, b: number): boolean {
    if (a < 0 || a >= b) return false;
    const [first, second] = [this.#issued.at(a), this.#issued.at(b)];
    if (first === undefined || second === undefined || first.code === 'synchronize') return false;
    if (first.stream === second.stream && second.code !== 'synchronize') return true;
    return (this.#clock(b).get(first.stream) ?? -1) >= a;
  }

  /** The first of `positions`, which ascend in one stream, that the operation at `a` has completed before; null for none. */
  firstAfter(a: number, positions: Int32Array): number | null {
    // What one operation of a stream had waited for, all later ones have waited for too.
    const at = lowerBound(0, positions.length, (k) => !this.before(a, positions[k] ?? 0));
    return positions[at] ?? null;
  }

  /** Position of the first synchronise of this host thread that has waited for the operation at `a`; null for none. */
  firstSynchronised(a: number, thread: number): number | null {
    const first = this.#issued.at(a);
    if (first === undefined) return null;
    const reached = this.#synchronisedBy.get(thread)?.get(first.stream);
    if (reached === undefined) return null;
    const at = lowerBound(0, reached.completed.length, (k) => (reached.completed[k] ?? 0) < a);
    return reached.positions[at] ?? null;
  }

  /** The last position of each stream that has completed before the operation at `b` starts, its own stream's too. */
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

  /** The ends of the graph's launch before this one. */
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

  /** What ran alone on its device; of what runs alone itself, all that its devices were given. */
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

  /** What has completed when a synchronise returns. Holds whatever the rules asked for: the host waits for real. */
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

  /** The ends of the streams whose earlier work a new operation in `stream` waits for because of the legacy default stream. */
  #waitedFor(stream: number): Point[] {
    const own = this.#streams[stream];
    const known = this.#tied.get(stream);
    const tied = known ?? [...this.#lastIn.keys()].filter((other) => areTied(own, this.#streams[other]));
    if (known === undefined) this.#tied.set(stream, tied);
    return tied.map((other) => this.#endOf(other));
  }

  /** Everything in the stream so far. */
  #endOf(stream: number): Point {
    return { stream, position: this.#lastIn.get(stream) ?? -1, clock: this.#clockOf.get(stream) ?? noClock };
  }

  /** The clock of what starts after a point; one for all that start after the same. */
  #clockAfter(point: Point): Clock {
    const known = this.#after.get(point.stream);
    if (known !== undefined && this.#pointOf.get(known)?.position === point.position) return known;
    const clock = new Map(point.clock).set(point.stream, point.position);
    this.#after.set(point.stream, clock);
    this.#pointOf.set(clock, point);
    return clock;
  }

  /** What a new operation in `stream` knows by `clock` and after these points; the same object where that is no more. */
  #joined(clock: Clock, points: readonly Point[], stream: number): Clock {
    const isAsBefore = clock === (this.#clockOf.get(stream) ?? noClock);
    let joined: Map<number, number> | null = null;
    for (const point of points) {
      // What is known of a stream is known with all that had been waited for there.
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

/** The later of the two in each stream. */
function joinInto(target: Map<number, number>, clock: Clock): void {
  for (const [stream, position] of clock) {
    if (position > (target.get(stream) ?? -1)) target.set(stream, position);
  }
}
