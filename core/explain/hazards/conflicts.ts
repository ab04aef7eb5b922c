/**
 * Finds pairs of operations that touch the same bytes without a defined order, if at least one of them writes.
 *
 * Every buffer is cut into segments at the bounds of all touched regions. Each segment lists its touches by lane.
 * Operations of one lane complete in order, so those that may still run are at the end of the list.
 */
import { type Clock, countUpTo } from '../order/clock.ts';
import type { Touch } from './touches.ts';

export interface Conflict {
  readonly first: Touch;
  readonly second: Touch;
  from: number;
  to: number;
}

/** Operations at the end of a lane that are compared with a new one. */
const mostBack = 32;
/** Limit of visited segments over all touches; takes a second or two. */
const mostVisits = 20_000_000;
/** Limit of reported conflicts. */
const mostFound = 2000;

interface LaneHistory {
  readonly lane: number;
  readonly indices: number[];
  readonly touches: Touch[];
}

interface When {
  readonly lane: number;
  readonly index: number;
  readonly start: Clock;
}

interface Segment {
  reads: LaneHistory[];
  writes: LaneHistory[];
}

interface Region {
  /** Number of the touch; identifies pairs. */
  readonly id: number;
  readonly first: number;
  readonly end: number;
}

export class Conflicts {
  readonly #found = new Map<string, Conflict>();
  /** The same conflicts by the ids of both touches, for faster look-up. */
  readonly #pairs = new Map<number, Conflict>();
  /** Segment bounds of each touched buffer. */
  readonly #cuts: ReadonlyMap<number, readonly number[]>;
  readonly #segments = new Map<number, Segment[]>();
  readonly #regions = new Map<Touch, Region>();
  #visits = 0;

  /** `all` contains every touch that will be added. */
  constructor(all: Iterable<Touch>) {
    const cuts = new Map<number, Set<number>>();
    for (const { buffer, from, to } of all) {
      const known = cuts.get(buffer) ?? new Set();
      cuts.set(buffer, known.add(from).add(to));
    }
    this.#cuts = new Map([...cuts].map(([buffer, set]) => [buffer, [...set].sort((a, b) => a - b)]));
    for (const buffer of cuts.keys()) this.#segments.set(buffer, []);
  }

  get found(): readonly Conflict[] {
    return [...this.#found.values()];
  }

  /** Whether some touches were skipped because a limit was reached. */
  get gaveUp(): boolean {
    return this.#visits > mostVisits || this.#found.size >= mostFound;
  }

  /** Adds a touch by operation `index` of `lane`. `start` is the clock at which the operation begins. */
  add(touch: Touch, lane: number, index: number, start: Clock): void {
    const { first, end } = this.#region(touch);
    this.#visits += end - first;
    if (this.gaveUp) return;
    const segments = this.#segments.get(touch.buffer);
    if (segments === undefined) return;
    for (let at = first; at < end; at += 1) {
      segments[at] ??= { reads: [], writes: [] };
      const segment = segments[at];
      if (segment === undefined) continue;
      this.#compare(segment.writes, touch, at, { lane, index, start });
      if (touch.writes) this.#compare(segment.reads, touch, at, { lane, index, start });
      remember(touch.writes ? segment.writes : segment.reads, touch, lane, index);
    }
  }

  /** Forgets all touches of a buffer, because it was freed: a new allocation is different memory. */
  forget(buffer: number): void {
    this.#segments.set(buffer, []);
  }

  #compare(histories: readonly LaneHistory[], touch: Touch, segment: number, when: When): void {
    for (const { lane, indices, touches } of histories) {
      const over = when.start[lane] ?? 0;
      const least = Math.max(0, indices.length - mostBack);
      for (let at = indices.length - 1; at >= least && (indices[at] ?? 0) > over; at -= 1) {
        const other = touches[at];
        // An operation doesn't conflict with itself. Operations inside one graph are compared on their own.
        const isItself = lane === when.lane && indices[at] === when.index;
        if (other !== undefined && !isItself) this.#report(other, touch, segment);
      }
    }
  }

  #report(first: Touch, second: Touch, segment: number): void {
    const cuts = this.#cuts.get(first.buffer);
    const [from, to] = [cuts?.[segment] ?? 0, cuts?.[segment + 1] ?? 0];
    const pair = this.#region(first).id * 2 ** 24 + this.#region(second).id;
    const known = this.#pairs.get(pair) ?? this.#found.get(pairKey(first, second));
    const conflict = known ?? { first, second, from, to };
    conflict.from = Math.min(conflict.from, from);
    conflict.to = Math.max(conflict.to, to);
    this.#pairs.set(pair, conflict);
    if (known === undefined) this.#found.set(pairKey(first, second), conflict);
  }

  #region(touch: Touch): Region {
    const known = this.#regions.get(touch);
    if (known !== undefined) return known;
    const cuts = this.#cuts.get(touch.buffer) ?? [];
    const id = this.#regions.size;
    const region = { id, first: countUpTo(cuts, touch.from) - 1, end: countUpTo(cuts, touch.to) - 1 };
    this.#regions.set(touch, region);
    return region;
  }
}

/** Returns the same key for a pair, whichever operation comes first in a round. */
function pairKey(a: Touch, b: Touch): string {
  const one = (touch: Touch): string => `${touch.op}${touch.writes ? 'w' : 'r'}`;
  const [first, second] = a.op <= b.op ? [a, b] : [b, a];
  return `${first.buffer} ${one(first)} ${one(second)}`;
}

function remember(histories: LaneHistory[], touch: Touch, lane: number, index: number): void {
  const known = histories.find((history) => history.lane === lane);
  if (known === undefined) {
    histories.push({ lane, indices: [index], touches: [touch] });
    return;
  }
  known.indices.push(index);
  known.touches.push(touch);
}
