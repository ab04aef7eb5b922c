/**
 * Level-of-detail index from which the timeline draws a lane. It is built once for a lane's rows of one iteration, and
 * answers each frame with a bounded number of shapes, however many rows there are. Every row is in exactly one shape,
 * has its own shape from one pixel on, and is found by hit() at any zoom.
 */
import { assignDepths } from './depths.ts';
import { type LayerData, layerData, RowLayer } from './rowLayer.ts';
import { laneRows, type RowRange } from './rows.ts';
import { Shapes } from './shapes.ts';
import type { LaneIndex as LaneNumber, RowIndex, Trace } from './trace.ts';

/** bar: rows with duration; mark: rows without, drawn above the bars. */
export type ShapeKind = 'bar' | 'mark';

/** One shape as an object, for queries and tests rather than frames. */
export interface LaneShape {
  readonly as: ShapeKind;
  /** 0 is the outermost; rows of one depth don't overlap. Bars and marks have separate depths. */
  readonly depth: number;
  /** From the first row's start to the last row's end. */
  readonly startNs: number;
  readonly endNs: number;
  /** The row; for a block of rows, the longest. */
  readonly row: RowIndex;
  readonly count: number;
  /** Time within the shape in which a row ran. Divided by the shape's length, it is the busy share. */
  readonly busyNs: number;
}

/** An index's content, transferable between threads: one layer for each depth. */
export interface LaneData {
  readonly bars: readonly LayerData[];
  readonly marks: readonly LayerData[];
}

export class LaneIndex {
  readonly #bars: readonly RowLayer[];
  readonly #marks: readonly RowLayer[];

  constructor({ bars, marks }: LaneData) {
    this.#bars = bars.map((layer) => new RowLayer(layer));
    this.#marks = marks.map((layer) => new RowLayer(layer));
  }

  /** Number of depths of bars; 0 if the lane has no bars. */
  get depths(): number {
    return this.#bars.length;
  }

  get markDepths(): number {
    return this.#marks.length;
  }

  /** Adds the shapes of one depth in [fromNs, toNs] on `pixels` pixels: at most 2 * pixels + 3. */
  fill(into: Shapes, as: ShapeKind, depth: number, fromNs: number, toNs: number, pixels: number): void {
    this.#layer(as, depth)?.shapes(into, fromNs, toNs, pixels);
  }

  /** Returns the shapes of all depths as objects: bars in order of depth and start, then marks. */
  shapes(fromNs: number, toNs: number, pixels: number): LaneShape[] {
    const found: LaneShape[] = [];
    const shapes = new Shapes();
    for (const [as, depths] of [
      ['bar', this.depths],
      ['mark', this.markDepths],
    ] as const) {
      for (let depth = 0; depth < depths; depth += 1) {
        shapes.clear();
        this.fill(shapes, as, depth, fromNs, toNs, pixels);
        for (let at = 0; at < shapes.length; at += 1) found.push(shapeAt(shapes, at, as, depth));
      }
    }
    return found;
  }

  /** Returns the time in [fromNs, toNs] in which a bar of this depth ran. */
  busyNs(depth: number, fromNs: number, toNs: number): number {
    return this.#bars[depth]?.busyNs(fromNs, toNs) ?? 0;
  }

  /** Returns the row at this time and depth, or the nearest one there within the tolerance (some pixels, as time). */
  hit(timeNs: number, depth: number, toleranceNs: number, as: ShapeKind = 'bar'): RowIndex | null {
    return this.#layer(as, depth)?.hit(timeNs, toleranceNs) ?? null;
  }

  #layer(as: ShapeKind, depth: number): RowLayer | undefined {
    return (as === 'bar' ? this.#bars : this.#marks)[depth];
  }
}

function shapeAt(shapes: Shapes, at: number, as: ShapeKind, depth: number): LaneShape {
  return {
    as,
    depth,
    startNs: shapes.startNs[at] ?? 0,
    endNs: shapes.endNs[at] ?? 0,
    row: shapes.row[at] ?? 0,
    count: shapes.count[at] ?? 0,
    busyNs: shapes.busyNs[at] ?? 0,
  };
}

/** Builds the index of a lane's rows in one iteration. */
export const indexLane = (trace: Trace, lane: LaneNumber, iteration: RowRange): LaneIndex =>
  new LaneIndex(laneData(trace, laneRows(trace, lane, iteration)));

/** Indexes rows of one iteration, in ascending order of start (see laneRows). */
export function laneData(trace: Trace, rows: Uint32Array): LaneData {
  const { durationNs } = trace.columns;
  let bars = 0;
  for (let at = 0; at < rows.length; at += 1) if ((durationNs[rows[at] as number] as number) > 0) bars += 1;
  if (bars === rows.length) return { bars: layers(trace, rows), marks: [] };
  const lasting = new Uint32Array(bars);
  const marks = new Uint32Array(rows.length - bars);
  let [nextBar, nextMark] = [0, 0];
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    if ((durationNs[row] as number) > 0) lasting[nextBar++] = row;
    else marks[nextMark++] = row;
  }
  return { bars: layers(trace, lasting), marks: layers(trace, marks) };
}

/** Returns the data of every lane, in two passes over all rows instead of one pass per lane. */
export function allLaneData(trace: Trace, { from, to }: RowRange): LaneData[] {
  const { lane, engine } = trace.columns;
  const counts = new Uint32Array(trace.lanes.length);
  for (let row = from; row < to; row += 1) {
    const [own, other] = [lane[row] as number, engine[row] as number];
    counts[own] = (counts[own] as number) + 1;
    if (other >= 0 && other !== own) counts[other] = (counts[other] as number) + 1;
  }
  const rows = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  const add = (number: number, row: number): void => {
    const next = counts[number] as number;
    (rows[number] as Uint32Array)[next] = row;
    counts[number] = next + 1;
  };
  for (let row = from; row < to; row += 1) {
    const [own, other] = [lane[row] as number, engine[row] as number];
    add(own, row);
    if (other >= 0 && other !== own) add(other, row);
  }
  return rows.map((own) => laneData(trace, own));
}

function layers(trace: Trace, rows: Uint32Array): LayerData[] {
  if (rows.length === 0) return [];
  const { startNs, durationNs } = trace.columns;
  const starts = new Float64Array(rows.length);
  const ends = new Float64Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const start = startNs[row] as number;
    starts[at] = start;
    ends[at] = start + (durationNs[row] as number);
  }
  const { depths, counts } = assignDepths(starts, ends);
  if (counts.length === 1) return [layerData(rows, starts, ends)];
  return split(rows, starts, ends, depths, counts);
}

function split(
  rows: Uint32Array,
  starts: Float64Array,
  ends: Float64Array,
  depths: Uint32Array,
  counts: readonly number[],
): LayerData[] {
  const parts = counts.map((count) => ({
    next: 0,
    rows: new Uint32Array(count),
    starts: new Float64Array(count),
    ends: new Float64Array(count),
  }));
  for (let at = 0; at < rows.length; at += 1) {
    const part = parts[depths[at] as number];
    if (part === undefined) continue;
    part.rows[part.next] = rows[at] as number;
    part.starts[part.next] = starts[at] as number;
    part.ends[part.next] = ends[at] as number;
    part.next += 1;
  }
  return parts.map((part) => layerData(part.rows, part.starts, part.ends));
}
