/**
 * Pairs of operations that touch the same bytes, at least one of them writing, with nothing to order them.
 *
 * Every buffer is cut where a touched region begins or ends. Each segment lists, by lane, what has touched it: of one
 * lane the earlier operations are over if a later one is, so what is not known to be over is at the end of the list.
 */
import { type Clock, countUpTo } from '../order/clock.ts';
import type { Touch } from './touches.ts';

export interface Conflict {
  readonly first: Touch;
  readonly second: Touch;
  from: number;
  to: number;
}

/** How far back in a lane is looked for more partners of one operation. */
const mostBack = 32;
/** Touched segments, summed over all touches: a second or two. */
const mostVisits = 20_000_000;
/** Conflicts that are told: nobody reads more. */
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
  /** Number of the touch, to tell pairs apart. */
  readonly id: number;
  readonly first: number;
  readonly end: number;
}

export class Conflicts {
  readonly #found = new Map<string, Conflict>();
  /** The same by the numbers of the two touches, which is quicker to look up. */
  readonly #pairs = new Map<number, Conflict>();
  /** By buffer; only of those that are touched. */
  readonly #cuts: ReadonlyMap<number, readonly number[]>;
  readonly #segments = new Map<number, Segment[]>();
  readonly #regions = new Map<Touch, Region>();
  #visits = 0;

  /** `all` holds every touch that will be added. */
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

  /** Whether some touches were left out because there were too many. */
  get gaveUp(): boolean {
    return this.#visits > mostVisits || this.#found.size >= mostFound;
  }

  /** `start` is the clock with which the operation begins, which is the one numbered `index` of `lane`. */
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

  /** The buffer is other memory from now on. */
  forget(buffer: number): void {
    this.#segments.set(buffer, []);
  }

  #compare(histories: readonly LaneHistory[], touch: Touch, segment: number, when: When): void {
    for (const { lane, indices, touches } of histories) {
      const over = when.start[lane] ?? 0;
      const least = Math.max(0, indices.length - mostBack);
      for (let at = indices.length - 1; at >= least && (indices[at] ?? 0) > over; at -= 1) {
        const other = touches[at];
        // What one operation reads and writes doesn't conflict; the inside of a graph is looked at on its own.
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

/** One key for a pair, whichever of the two comes first in a round. */
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
