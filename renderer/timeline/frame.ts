/**
 * One frame of the timeline as plain geometry: what to draw, in pixels, batched by colour. Fed by the level-of-detail
 * index, so that its size depends on the size of the plot and not on that of the trace.
 */
import { rowDirection, rowKind } from '../../core/analysis/iteration.ts';
import type { LaneShape } from '../../core/trace/laneIndex.ts';
import { rowEndNs } from '../../core/trace/rows.ts';
import type { RowIndex, Trace } from '../../core/trace/trace.ts';
import { type PaintName, paintOf } from '../app/palette.ts';
import type { Ticks } from './ticks.ts';
import { type TimeView, toPixels } from './timeView.ts';
import { type BandwidthTrack, barTop, type LaneTrack, type Track, trackPadding } from './tracks.ts';

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface FrameLabel extends Box {
  readonly text: string;
  readonly paint: PaintName;
}

/** Boxes of one colour, four numbers each: x, y, width, height. */
export interface Batch {
  readonly paint: PaintName;
  readonly boxes: readonly number[];
  /** Those wide enough to carry the paint's pattern. */
  readonly patterned: readonly number[];
  /** Grounds of blocks in which several rows share a pixel; the busy share of each stands in `boxes`. */
  readonly grounds: readonly number[];
}

export interface FrameBandwidth {
  readonly direction: 'h2d' | 'd2h';
  /** x, y of a step line, from left to right. */
  readonly points: readonly number[];
  readonly baseline: number;
  readonly limitY: number | null;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  readonly batches: readonly Batch[];
  readonly labels: readonly FrameLabel[];
  /** x and y of the tips of marks: events recorded, and waits passed. */
  readonly records: readonly number[];
  readonly waits: readonly number[];
  readonly bandwidths: readonly FrameBandwidth[];
  readonly gridX: readonly number[];
  readonly separatorY: readonly number[];
  readonly selected: readonly Box[];
  readonly joined: readonly Box[];
  /** x1, y1, x2, y2 from a host call to what it issued. */
  readonly arrows: readonly number[];
}

export interface FrameInput {
  readonly trace: Trace;
  readonly tracks: readonly Track[];
  readonly view: TimeView;
  readonly ticks: Ticks;
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly selectedRow: RowIndex | null;
  readonly selectedOp: number | null;
  readonly partners: readonly RowIndex[];
  readonly labelOf: (row: RowIndex) => string;
}

const leastLabelWidth = 30;
const leastPatternWidth = 6;
const mostLabels = 250;
const bandwidthHeadroom = 1.12;

export function makeFrame(input: FrameInput): Frame {
  const maker = new FrameMaker(input);
  for (const track of input.tracks) {
    const y = track.top - input.scrollTop;
    if (y > input.height || y + track.height < 0) continue;
    if (track.kind === 'lane') maker.lane(track);
    else maker.bandwidth(track);
  }
  return maker.finish();
}

class FrameMaker {
  readonly #input: FrameInput;
  readonly #batches = new Map<PaintName, { boxes: number[]; patterned: number[]; grounds: number[] }>();
  readonly #labels: FrameLabel[] = [];
  readonly #records: number[] = [];
  readonly #waits: number[] = [];
  readonly #bandwidths: FrameBandwidth[] = [];
  readonly #selected: Box[] = [];

  constructor(input: FrameInput) {
    this.#input = input;
  }

  lane(track: LaneTrack): void {
    const { view, width } = this.#input;
    for (const shape of track.index.shapes(view.startNs, view.endNs, width)) {
      if (shape.as === 'bar') this.#bar(track, shape);
      else this.#mark(track, shape);
    }
  }

  bandwidth(track: BandwidthTrack): void {
    const { view, width, scrollTop } = this.#input;
    const baseline = track.top - scrollTop + track.height - trackPadding;
    const most = Math.max(track.bandwidth.peak, track.attainable ?? 0) * bandwidthHeadroom;
    const yOf = (rate: number): number => baseline - (most > 0 ? rate / most : 0) * (track.height - 2 * trackPadding);
    const points: number[] = [];
    const steps = track.bandwidth.steps(view.startNs, view.endNs, width);
    steps.forEach((step, k) => {
      const next = steps[k + 1]?.startNs ?? view.endNs;
      const y = yOf(step.rate);
      points.push(this.#x(step.startNs), y, this.#x(next), y);
    });
    const limitY = track.attainable === null ? null : yOf(track.attainable);
    this.#bandwidths.push({ direction: track.direction, points, baseline, limitY });
  }

  finish(): Frame {
    const { width, height, tracks, ticks, scrollTop, selectedRow, partners } = this.#input;
    const boxes = selectedRow === null ? [] : this.#rowBoxes(selectedRow);
    const joined = partners.map((row) => this.#rowBoxes(row));
    return {
      width,
      height,
      batches: [...this.#batches].map(([paint, batch]) => ({ paint, ...batch })),
      labels: this.#labels,
      records: this.#records,
      waits: this.#waits,
      bandwidths: this.#bandwidths,
      gridX: ticks.ticks.map((tick) => this.#x(tick.timeNs)),
      separatorY: tracks.map((track) => track.top + track.height - scrollTop),
      selected: [...boxes, ...this.#selected],
      joined: joined.flat(),
      arrows: joined.flatMap((other) => arrow(boxes[0], other[0])),
    };
  }

  #bar(track: LaneTrack, shape: LaneShape): void {
    const box = this.#box(track, shape.depth, shape.startNs, shape.endNs);
    if (box.x > this.#input.width || box.x + box.width < 0) return;
    const paint = paintOfRow(this.#input.trace, shape.row);
    const batch = this.#batch(paint);
    if (shape.count > 1) {
      push(batch.grounds, box);
      const busy = shape.endNs > shape.startNs ? shape.busyNs / (shape.endNs - shape.startNs) : 1;
      push(batch.boxes, { ...box, y: box.y + box.height * (1 - busy), height: box.height * busy });
      return;
    }
    push(batch.boxes, box);
    if (box.width >= leastPatternWidth) push(batch.patterned, box);
    if (this.#isOpSelected(shape.row)) this.#selected.push(box);
    this.#label(shape.row, box, paint);
  }

  #isOpSelected(row: RowIndex): boolean {
    const { selectedOp, selectedRow, trace } = this.#input;
    return selectedRow === null && selectedOp !== null && trace.columns.op[row] === selectedOp;
  }

  #label(row: RowIndex, box: Box, paint: PaintName): void {
    // A bar that begins left of the plot is labelled where it becomes visible.
    const x = Math.max(box.x, 0);
    const width = Math.min(box.x + box.width, this.#input.width) - x;
    if (width < leastLabelWidth || this.#labels.length >= mostLabels) return;
    this.#labels.push({ x, y: box.y, width, height: box.height, text: this.#input.labelOf(row), paint });
  }

  #mark(track: LaneTrack, shape: LaneShape): void {
    const x = this.#x(shape.startNs);
    const y = track.top - this.#input.scrollTop + 3;
    const isWait = rowKind(this.#input.trace, shape.row) === 'event-wait';
    (isWait ? this.#waits : this.#records).push(x, y);
    if (this.#isOpSelected(shape.row)) this.#selected.push({ x: x - 6, y: y - 2, width: 12, height: 12 });
  }

  #batch(paint: PaintName): { boxes: number[]; patterned: number[]; grounds: number[] } {
    const known = this.#batches.get(paint);
    if (known !== undefined) return known;
    const made = { boxes: [], patterned: [], grounds: [] };
    this.#batches.set(paint, made);
    return made;
  }

  #x(timeNs: number): number {
    return toPixels(this.#input.view, this.#input.width, timeNs);
  }

  /** Edges on whole pixels, a pixel of air after bars that can spare it, and nothing far outside of the plot. */
  #box(track: LaneTrack, depth: number, startNs: number, endNs: number): Box {
    const { width, scrollTop } = this.#input;
    const left = Math.round(Math.max(this.#x(startNs), -20));
    const right = Math.round(Math.min(this.#x(endNs), width + 20));
    const breadth = Math.max(right - left, 1);
    return {
      x: left,
      y: barTop(track, depth) - scrollTop,
      width: breadth > 3 ? breadth - 1 : breadth,
      height: track.barHeight - (track.index.depths > 1 ? 1 : 0),
    };
  }

  /** Where a row is drawn: on its stream and on its engine, or on its host thread. */
  #rowBoxes(row: RowIndex): Box[] {
    const { trace, tracks, scrollTop } = this.#input;
    const [start, end] = [trace.columns.startNs[row] ?? 0, rowEndNs(trace, row)];
    const own = [trace.columns.lane[row], trace.columns.engine[row]];
    return tracks.flatMap((track) => {
      if (track.kind !== 'lane' || !own.includes(track.number)) return [];
      if (end === start) {
        return [{ x: this.#x(start) - 6, y: track.top - scrollTop + 1, width: 12, height: 12 }];
      }
      const depth = rowDepth(track, row, (start + end) / 2);
      return depth < 0 ? [] : [this.#box(track, depth, start, end)];
    });
  }
}

function rowDepth(track: LaneTrack, row: RowIndex, middleNs: number): number {
  for (let depth = 0; depth < track.index.depths; depth += 1) {
    if (track.index.hit(middleNs, depth, 0) === row) return depth;
  }
  return -1;
}

export const paintOfRow = (trace: Trace, row: RowIndex): PaintName => {
  const kind = rowKind(trace, row);
  return paintOf(kind, kind === 'copy' ? rowDirection(trace, row) : null);
};

function push(boxes: number[], { x, y, width, height }: Box): void {
  boxes.push(x, y, width, height);
}

/** From the upper box's lower edge to the lower one's upper edge, at their starts. */
function arrow(a: Box | undefined, b: Box | undefined): number[] {
  if (a === undefined || b === undefined) return [];
  const [upper, lower] = a.y <= b.y ? [a, b] : [b, a];
  return [
    upper.x + Math.min(6, upper.width / 2),
    upper.y + upper.height,
    lower.x + Math.min(6, lower.width / 2),
    lower.y,
  ];
}
