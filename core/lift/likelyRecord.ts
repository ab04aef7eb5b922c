/**
 * Finds the record that a wait is most likely for, among the last records before it. Calls between two records change
 * the last work of few streams, and calls between two waits the next work of few. Only those streams are visited, since
 * a hostile trace has thousands.
 */
import { lowerBound } from '../lowerBound.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex, Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';

/** Row clocks differ by about this much. */
export const slackNs = 500;
/** Limit of records before a wait that are candidates. */
const mostRecords = 64;
/** Penalty for a record of another stream: records usually follow work of their own stream. */
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
  /** Lane of the stream with the last issued work before it. */
  readonly by: number;
  /** Last work at this record of each stream whose last work changed before the next record, by lane. */
  readonly replaced: Map<number, RowIndex | undefined>;
}

/** Visits its calls in order. */
export class LikelyRecords {
  readonly #trace: Trace;
  readonly #streams: readonly number[];
  readonly #positions: ReadonlyMap<number, number>;
  /** Last issued work of each stream, by lane. */
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

  /** Handles an activity of the current call. */
  issued(row: RowIndex): void {
    const stream = this.#trace.columns.lane[row] ?? -1;
    const replaced = this.#records.at(-1)?.replaced;
    if (replaced !== undefined && !replaced.has(stream)) replaced.set(stream, this.#last.get(stream));
    this.#last.set(stream, row);
    this.#issuing = stream;
  }

  /** Handles the end of the call at this place. */
  passed(place: number): void {
    this.#next.pass(place);
  }

  record(place: number): void {
    this.#records.push({ place, by: this.#issuing, replaced: new Map() });
    if (this.#records.length > mostRecords) this.#records.shift();
  }

  /**
   * Returns the record whose work ended the shortest time before work of another stream began that was issued after the
   * wait; or null. Searches backwards, because the later of two records of the same work is likelier.
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

  /** Returns streams whose last work changes before the next record, and the record's own; the last one first. */
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

/** Next work of each stream after a place among the calls. */
class NextWork {
  readonly #trace: Trace;
  readonly #calls: Calls;
  readonly #positions: ReadonlyMap<number, number>;
  /** For each place, the next one whose first activity is in the same stream; -1 if there is none. */
  readonly #following: Int32Array;
  /** By start, then the last stream first. */
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

  /** Removes work that begins at this place. */
  pass(place: number): void {
    const stream = this.#streamAt(place);
    if (stream === null) return;
    const known = this.#ofStream.get(stream);
    if (known !== undefined) this.#sorted.splice(this.#placeOf(known), 1);
    this.#ofStream.delete(stream);
    const following = this.#following[place] ?? -1;
    if (following >= 0) this.#add(following);
  }

  /** Returns the first work at or after a time in another stream; or null. */
  behind(endNs: number, except: number): Work | null {
    const isBefore = (at: number): boolean => (this.#sorted[at]?.startNs ?? 0) - endNs < -slackNs;
    const at = lowerBound(0, this.#sorted.length, isBefore);
    const work = this.#sorted[at]?.stream === except ? this.#sorted[at + 1] : this.#sorted[at];
    return work ?? null;
  }

  /** Returns the lane of the stream at a place if it is relevant; null if nothing begins there. */
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
