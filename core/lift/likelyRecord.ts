/**
 * The record that a wait is most likely for, of the last ones before it. What stands between two records changes the last
 * work of few streams, and what stands between two waits the next of few: only that is looked at, since a hostile trace has
 * thousands of streams.
 */
import { lowerBound } from '../lowerBound.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';

/** Clocks of rows differ by about this much. */
export const slackNs = 500;
/** So many records before a wait are looked at for the one that it is for. */
const mostRecords = 64;
/** A record is likelier put behind work of its own stream. */
const otherStreamNs = 5000;

export interface LikelyRecord {
  /** Place of the record among the calls. */
  readonly record: number;
  /** Lanes of the stream that is waited for, and of the one that waits. */
  readonly recorded: number;
  readonly waiting: number;
}

interface Recorded {
  readonly place: number;
  /** Lane of the stream that work was issued in last before it. */
  readonly by: number;
  /** The last work of each stream whose last work was another by the next record, by its lane. */
  readonly replaced: Map<number, RowIndex | undefined>;
}

/** Its calls are gone through in order. */
export class LikelyRecords {
  readonly #trace: Trace;
  readonly #streams: readonly number[];
  readonly #positions: ReadonlyMap<number, number>;
  /** The last work that was issued in each stream, by its lane. */
  readonly #last = new Map<number, RowIndex>();
  readonly #next: NextWork;
  readonly #records: Recorded[] = [];
  #issuing = -1;

  constructor(trace: Trace, calls: Calls, streams: readonly number[]) {
    this.#trace = trace;
    this.#streams = streams;
    this.#positions = new Map(streams.map((stream, position) => [stream, position]));
    this.#next = new NextWork(trace, calls, this.#positions);
  }

  /** An activity of the call that is gone through. */
  issued(row: RowIndex): void {
    const stream = this.#trace.columns.lane[row] ?? -1;
    const replaced = this.#records.at(-1)?.replaced;
    if (replaced !== undefined && !replaced.has(stream)) replaced.set(stream, this.#last.get(stream));
    this.#last.set(stream, row);
    this.#issuing = stream;
  }

  /** All that the call at this place issued was told. */
  passed(place: number): void {
    this.#next.pass(place);
  }

  record(place: number): void {
    this.#records.push({ place, by: this.#issuing, replaced: new Map() });
    if (this.#records.length > mostRecords) this.#records.shift();
  }

  /**
   * The one whose work ended the shortest time before work of another stream began that was issued behind the wait; null
   * where there is none. The latest of two records of the same work is likelier, so they are gone through backwards.
   */
  forWait(): LikelyRecord | null {
    let found: LikelyRecord | null = null;
    let foundNs = Number.POSITIVE_INFINITY;
    for (let index = this.#records.length - 1; index >= 0; index -= 1) {
      const { place, by } = this.#records[index] as Recorded;
      for (const recorded of this.#candidates(index)) {
        const last = this.#lastBefore(index, recorded);
        if (last === undefined) continue;
        const endNs = rowEndNs(this.#trace, last);
        const next = this.#next.behind(endNs, recorded);
        if (next === null) continue;
        const costNs = next.startNs - endNs + (by === recorded ? 0 : otherStreamNs);
        if (costNs >= foundNs) continue;
        foundNs = costNs;
        found = { record: place, recorded, waiting: next.stream };
      }
    }
    return found;
  }

  /** Streams whose last work the next record does not have as well, or that are the record's own; the last one first. */
  #candidates(index: number): readonly number[] {
    if (index === this.#records.length - 1) return this.#streams.toReversed();
    const { replaced, by } = this.#records[index] as Recorded;
    const streams = new Set(replaced.keys()).add(by);
    const position = (stream: number): number => this.#positions.get(stream) ?? -1;
    return [...streams].filter((one) => position(one) >= 0).sort((a, b) => position(b) - position(a));
  }

  #lastBefore(index: number, stream: number): RowIndex | undefined {
    for (let later = index; later < this.#records.length; later += 1) {
      const { replaced } = this.#records[later] as Recorded;
      if (replaced.has(stream)) return replaced.get(stream);
    }
    return this.#last.get(stream);
  }
}

interface Work {
  readonly stream: number;
  readonly position: number;
  readonly startNs: number;
}

/** The next work of each stream behind a place among the calls. */
class NextWork {
  readonly #trace: Trace;
  readonly #calls: Calls;
  readonly #positions: ReadonlyMap<number, number>;
  /** Of each place, the next one whose first activity is in the same stream; -1 for none. */
  readonly #following: Int32Array;
  /** By start; of those that start together the last stream comes first. */
  readonly #sorted: Work[] = [];
  readonly #ofStream = new Map<number, Work>();

  constructor(trace: Trace, calls: Calls, positions: ReadonlyMap<number, number>) {
    this.#trace = trace;
    this.#calls = calls;
    this.#positions = positions;
    this.#following = new Int32Array(calls.length).fill(-1);
    const first = new Map<number, number>();
    for (let place = calls.length - 1; place >= 0; place -= 1) {
      const stream = this.#streamAt(place);
      if (stream === null) continue;
      this.#following[place] = first.get(stream) ?? -1;
      first.set(stream, place);
    }
    for (const place of first.values()) this.#add(place);
  }

  /** What begins there is next no more. */
  pass(place: number): void {
    const stream = this.#streamAt(place);
    if (stream === null) return;
    const known = this.#ofStream.get(stream);
    if (known !== undefined) this.#sorted.splice(this.#placeOf(known), 1);
    this.#ofStream.delete(stream);
    const following = this.#following[place] ?? -1;
    if (following >= 0) this.#add(following);
  }

  /** The work that begins first at or after a time, in another stream than this one. */
  behind(endNs: number, except: number): Work | null {
    const isBefore = (at: number): boolean => (this.#sorted[at]?.startNs ?? 0) - endNs < -slackNs;
    const at = lowerBound(0, this.#sorted.length, isBefore);
    const work = this.#sorted[at]?.stream === except ? this.#sorted[at + 1] : this.#sorted[at];
    return work ?? null;
  }

  /** Lane of a stream of those that are asked for; null where nothing begins there. */
  #streamAt(place: number): number | null {
    const row = this.#calls.firstActivity(place);
    const stream = this.#trace.columns.lane[row] ?? -1;
    return row >= 0 && this.#positions.has(stream) ? stream : null;
  }

  #add(place: number): void {
    const row = this.#calls.firstActivity(place);
    const stream = this.#trace.columns.lane[row] ?? -1;
    const work = {
      stream,
      position: this.#positions.get(stream) ?? -1,
      startNs: this.#trace.columns.startNs[row] ?? 0,
    };
    this.#ofStream.set(stream, work);
    this.#sorted.splice(this.#placeOf(work), 0, work);
  }

  #placeOf({ startNs, position }: Work): number {
    return lowerBound(0, this.#sorted.length, (at) => {
      const one = this.#sorted[at] as Work;
      return one.startNs < startNs || (one.startNs === startNs && one.position > position);
    });
  }
}
