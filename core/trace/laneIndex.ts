/**
 * The level-of-detail index that the timeline draws a lane from. It is built once for a lane's rows of one iteration,
 * and answers each frame with a bounded number of shapes, however many rows there are. Nothing is lost: every row is
 * in exactly one shape, is a shape of its own once it is a pixel wide, and is found by hit() at any zoom.
 */
import { assignDepths } from './depths.ts';
import { type LayerShape, RowLayer } from './rowLayer.ts';
import { laneRows, type RowRange, rowEndNs } from './rows.ts';
import type { LaneIndex as LaneNumber, RowIndex, Trace } from './trace.ts';

export interface LaneShape extends LayerShape {
  /** bar: rows that last; mark: rows without duration, drawn above the bars. */
  readonly as: 'bar' | 'mark';
  /** 0 is the outermost; rows of one depth don't overlap. Bars and marks count their depths apart. */
  readonly depth: number;
}

export class LaneIndex {
  readonly #bars: readonly RowLayer[];
  readonly #marks: readonly RowLayer[];

  /** Indexes rows of one iteration, in ascending order of start (see laneRows). */
  constructor(trace: Trace, rows: Uint32Array) {
    const { durationNs } = trace.columns;
    this.#bars = layers(
      trace,
      rows.filter((row) => (durationNs[row] ?? 0) > 0),
    );
    this.#marks = layers(
      trace,
      rows.filter((row) => (durationNs[row] ?? 0) === 0),
    );
  }

  /** How many bars lie over one another at most; 0 where the lane has none. */
  get depths(): number {
    return this.#bars.length;
  }

  get markDepths(): number {
    return this.#marks.length;
  }

  /**
   * What to draw of [fromNs, toNs] on `pixels` pixels: bars in order of depth and start, then marks.
   * At most 2 * pixels + 3 shapes for each depth.
   */
  shapes(fromNs: number, toNs: number, pixels: number): LaneShape[] {
    const all = (list: readonly RowLayer[], as: LaneShape['as']): LaneShape[] =>
      list.flatMap((layer, depth) => layer.shapes(fromNs, toNs, pixels).map((shape) => ({ ...shape, as, depth })));
    return [...all(this.#bars, 'bar'), ...all(this.#marks, 'mark')];
  }

  /** Time in [fromNs, toNs] in which a bar of this depth was under way. */
  busyNs(depth: number, fromNs: number, toNs: number): number {
    return this.#bars[depth]?.busyNs(fromNs, toNs) ?? 0;
  }

  /** The row at this time and depth, or else the nearest one there within the tolerance (some pixels, as time). */
  hit(timeNs: number, depth: number, toleranceNs: number, as: LaneShape['as'] = 'bar'): RowIndex | null {
    const layer = (as === 'bar' ? this.#bars : this.#marks)[depth];
    return layer?.hit(timeNs, toleranceNs) ?? null;
  }
}

/** The index of a lane's rows in one iteration. */
export function indexLane(trace: Trace, lane: LaneNumber, iteration: RowRange): LaneIndex {
  return new LaneIndex(trace, laneRows(trace, lane, iteration));
}

function layers(trace: Trace, rows: Uint32Array): RowLayer[] {
  const starts = Float64Array.from(rows, (row) => trace.columns.startNs[row] ?? 0);
  const ends = Float64Array.from(rows, (row) => rowEndNs(trace, row));
  return placesByDepth(assignDepths(starts, ends)).map((places) => {
    const pick = (column: Float64Array): Float64Array => Float64Array.from(places, (place) => column[place] ?? 0);
    return new RowLayer(
      Uint32Array.from(places, (place) => rows[place] ?? 0),
      pick(starts),
      pick(ends),
    );
  });
}

function placesByDepth(depths: Uint32Array): number[][] {
  const places: number[][] = [];
  for (const [place, depth] of depths.entries()) {
    const known = places[depth];
    if (known === undefined) places[depth] = [place];
    else known.push(place);
  }
  return places;
}
