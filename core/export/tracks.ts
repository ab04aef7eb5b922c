/**
 * Splits the rows of a lane into tracks without partial overlaps: rows of a track are nested or follow one another, as
 * viewers require. Most lanes are one track; a row that fits on none of the last tracks begins another.
 */
import { lowerBound } from '../lowerBound.ts';
import type { LaneIndex, RowIndex, Trace } from '../trace/trace.ts';
import { endOf, type PlacedIteration, startOf } from './times.ts';

export interface Track {
  readonly lane: LaneIndex;
  /** 0 for a lane's first track. */
  readonly part: number;
}

export interface Tracks {
  /** By lane, then by part. */
  readonly list: readonly Track[];
  /** Track of each row's host thread or stream; -1 for rows that are left out. */
  readonly own: Int32Array;
  /** Track of each row's engine; -1 if it has none. */
  readonly engine: Int32Array;
}

/** Limit of tracks that are tried, so that a lane of a million overlaps doesn't take forever. */
const tried = 16;

class LaneTracks {
  /** Ends of the open rows on each track, the outermost first. */
  readonly #open: number[][] = [];
  readonly #recent: number[] = [];
  /** Tracks to try again when all their rows have ended, by that time. */
  readonly #resting: { readonly part: number; readonly end: number }[] = [];

  get count(): number {
    return this.#open.length;
  }

  /** Returns the part for a row. Rows must come in order of start, the longer first. */
  place(start: number, end: number): number {
    for (let index = this.#recent.length - 1; index >= 0; index -= 1) {
      const part = this.#recent[index] as number;
      const ends = this.#open[part] as number[];
      while (ends.length > 0 && (ends[ends.length - 1] as number) <= start) ends.pop();
      if (ends.length === 0 || (ends[ends.length - 1] as number) >= end) {
        ends.push(end);
        if (index !== this.#recent.length - 1) {
          this.#recent.splice(index, 1);
          this.#recent.push(part);
        }
        return part;
      }
    }
    const part = this.#rested(start) ?? this.#open.push([]) - 1;
    this.#open[part] = [end];
    this.#recent.push(part);
    if (this.#recent.length > tried) this.#rest(this.#recent.shift() as number);
    return part;
  }

  #rested(start: number): number | undefined {
    return (this.#resting[0]?.end ?? Number.POSITIVE_INFINITY) <= start ? this.#resting.shift()?.part : undefined;
  }

  #rest(part: number): void {
    const end = this.#open[part]?.[0] ?? 0;
    const place = lowerBound(0, this.#resting.length, (at) => (this.#resting[at]?.end ?? 0) <= end);
    this.#resting.splice(place, 0, { part, end });
  }
}

export function tracksOf(trace: Trace, iterations: readonly PlacedIteration[]): Tracks {
  const { lane, engine } = trace.columns;
  const lanes = trace.lanes.map(() => new LaneTracks());
  const own = new Int32Array(trace.count).fill(-1);
  const ofEngine = new Int32Array(trace.count).fill(-1);
  for (const iteration of iterations) {
    const { from, to } = iteration.rows;
    for (let row = from; row < to; row += 1) {
      const [start, end] = [startOf(trace, iteration, row), endOf(trace, iteration, row)];
      own[row] = (lanes[lane[row] as number] as LaneTracks).place(start, end);
      const place = engine[row] as number;
      if (place >= 0) ofEngine[row] = (lanes[place] as LaneTracks).place(start, end);
    }
  }
  const list: Track[] = [];
  const first = lanes.map(({ count }, index) => {
    for (let part = 0; part < Math.max(1, count); part += 1) list.push({ lane: index, part });
    return list.length - Math.max(1, count);
  });
  const settle = (parts: Int32Array, column: Int32Array, row: RowIndex): void => {
    if ((parts[row] as number) >= 0) parts[row] = (parts[row] as number) + (first[column[row] as number] as number);
  };
  for (let row = 0; row < trace.count; row += 1) {
    settle(own, lane, row);
    settle(ofEngine, engine, row);
  }
  return { list, own, engine: ofEngine };
}
