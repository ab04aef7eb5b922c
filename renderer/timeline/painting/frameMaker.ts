/**
 * Makes the frames of the timeline from the level-of-detail index, so that a frame's size depends on the size of the
 * plot and not on that of the trace.
 */
import type { Flow } from '../../../core/explain/figures/flows.ts';
import type { CounterColumns } from '../../../core/trace/counter.ts';
import { rowKind } from '../../../core/trace/iteration.ts';
import { rowEndNs } from '../../../core/trace/rows.ts';
import { Shapes } from '../../../core/trace/shapes.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { type PaintCode, type PaintName, paintNames } from '../../common/palette.ts';
import { spanNs, toPixels } from '../time/timeView.ts';
import {
  type BandwidthTrack,
  barOffset,
  type CounterTrack,
  type LaneTrack,
  pinnedHeightOf,
  screenTop,
} from '../tracks/tracks.ts';
import { type Box, Boxes } from './boxes.ts';
import { Columns } from './columns.ts';
import type { Batch, Frame, FrameBandwidth, FrameCounter, FrameInput, FrameLabel } from './frame.ts';
import { toneOf } from './nameTones.ts';
import { signSize } from './signs.ts';

const leastLabelWidth = 30;
const mostLabels = 250;
/** Pixels of a lane for each mark; with less, marks would cover each other. */
const leastMarkSpace = 6;
const mostHazards = 300;
const mostMissed = 300;
const mostFound = 3000;
const curveHeadroom = 1.12;
/** Lower bars have no room for text. */
const leastLabelHeight = 13;

/** Makes frames one after another. A frame is valid until the next one is made. */
export class FrameMaker {
  readonly #batches: readonly Batch[] = paintNames.map((paint) => ({
    paint,
    bars: new Boxes(),
    grounds: new Boxes(),
    fills: new Boxes(),
  }));
  readonly #shapes = new Shapes();
  readonly #columns = new Columns();
  #labels: FrameLabel[] = [];
  #records: number[] = [];
  #waits: number[] = [];
  #strokes: number[] = [];
  #bandwidths: FrameBandwidth[] = [];
  /** Reused from frame to frame, one for each drawn counter. */
  readonly #columnsOf: CounterColumns[] = [];
  #counters: FrameCounter[] = [];
  #selected: Box[] = [];
  #hazards: Box[] = [];
  #missed: Box[] = [];
  #pinnedHeight = 0;
  /** Nothing is drawn above this height, where the pinned lanes are. */
  #clipY = 0;

  make(input: FrameInput): Frame {
    this.#begin(input);
    for (const track of input.tracks) {
      const y = screenTop(track, input.scrollTop);
      this.#clipY = track.pinned ? 0 : this.#pinnedHeight;
      if (y > input.height || y + track.height <= this.#clipY) continue;
      if (track.kind === 'lane') this.#lane(input, track, y);
      else if (track.kind === 'bandwidth') this.#bandwidth(input, track, y);
      else this.#counter(input, track, y);
    }
    return this.#finish(input);
  }

  #begin({ tracks }: FrameInput): void {
    for (const { bars, grounds, fills } of this.#batches) for (const boxes of [bars, grounds, fills]) boxes.clear();
    this.#labels = [];
    this.#records = [];
    this.#waits = [];
    this.#strokes = [];
    this.#bandwidths = [];
    this.#counters = [];
    this.#selected = [];
    this.#hazards = [];
    this.#missed = [];
    this.#pinnedHeight = pinnedHeightOf(tracks);
  }

  #lane(input: FrameInput, track: LaneTrack, top: number): void {
    const { view, width } = input;
    for (let depth = 0; depth < track.index.depths; depth += 1) {
      this.#shapes.clear();
      track.index.fill(this.#shapes, 'bar', depth, view.startNs, view.endNs, width);
      this.#bars(input, track, top + barOffset(track, depth));
    }
    for (let depth = 0; depth < track.index.markDepths; depth += 1) {
      this.#shapes.clear();
      track.index.fill(this.#shapes, 'mark', depth, view.startNs, view.endNs, width);
      this.#marks(input, top + (track.markStrip > 0 ? 3 : 1));
    }
  }

  #bars(input: FrameInput, track: LaneTrack, top: number): void {
    const { trace, view, width } = input;
    const { startNs, endNs, busyNs, row, count, length } = this.#shapes;
    const [perNs, columns] = [width / spanNs(view), this.#columns];
    const hasSigns = input.hazards.size > 0 || input.missed.size > 0;
    const y = Math.max(top, this.#clipY);
    const height = top + barHeight(track) - y;
    if (height <= 0) return;
    columns.clear(width);
    for (let at = 0; at < length; at += 1) {
      const x = ((startNs[at] as number) - view.startNs) * perNs;
      const right = ((endNs[at] as number) - view.startNs) * perNs;
      if (x >= width || right <= 0) continue;
      const own = row[at] as number;
      const paint = toneOf(trace, own, input.tones);
      if ((count[at] as number) === 1 && right - x >= 1) this.#bar(input, own, paint, x, right, y, height);
      else {
        const longest = trace.columns.durationNs[own] as number;
        // Only the part of the block within the plot counts.
        const outside = Math.max(0, -x) + Math.max(0, right - width);
        columns.add(x, Math.max(0, (busyNs[at] as number) * perNs - outside), longest, paint);
        if (count[at] === 1 && isOpSelected(input, own)) this.#selected.push({ x: Math.floor(x), y, width: 1, height });
        if (hasSigns) this.#sign(input, own, { x: Math.floor(x), y, width: 1, height });
      }
    }
    columns.each((x, share, paint) => {
      const batch = this.#batches[paint] as Batch;
      batch.grounds.add(x, y, 1, height);
      batch.fills.add(x, y + height * (1 - share), 1, height * share);
    });
  }

  #bar(input: FrameInput, row: RowIndex, paint: PaintCode, x: number, right: number, y: number, height: number): void {
    const [left, breadth] = crispSpan(x, right, input.width);
    const batch = this.#batches[paint] as Batch;
    batch.bars.add(left, y, breadth, height);
    if (input.hazards.size > 0 || input.missed.size > 0) this.#sign(input, row, { x: left, y, width: breadth, height });
    if (breadth < leastLabelWidth && input.selectedOp === null) return;
    const box = { x: left, y, width: breadth, height };
    if (isOpSelected(input, row)) this.#selected.push(box);
    this.#label(input, row, box, batch.paint);
  }

  #label({ width: plot, labelOf }: FrameInput, row: RowIndex, box: Box, paint: PaintName): void {
    // A bar that begins left of the plot is labelled where it becomes visible.
    const x = Math.max(box.x, 0);
    const width = Math.min(box.x + box.width, plot) - x;
    if (width < leastLabelWidth || box.height < leastLabelHeight || this.#labels.length >= mostLabels) return;
    this.#labels.push({ x, y: box.y, width, height: box.height, text: labelOf(row), paint });
  }

  #sign(input: FrameInput, row: RowIndex, box: Box): void {
    this.#hazard(input, row, box);
    if (!input.missed.has(row) || this.#missed.length >= mostMissed) return;
    const before = this.#missed.at(-1);
    // Signs of bars at almost the same place would cover each other.
    const isCrowded = before?.y === box.y && box.width < signSize && box.x - before.x < signSize;
    if (!isCrowded) this.#missed.push(box);
  }

  #hazard({ hazards, trace }: FrameInput, row: RowIndex, box: Box): void {
    if (!hazards.has(trace.columns.op[row] as number) || this.#hazards.length >= mostHazards) return;
    this.#hazards.push(box);
  }

  #marks(input: FrameInput, y: number): void {
    if (y < this.#clipY) return;
    const { startNs, row, length } = this.#shapes;
    const isCrowd = length * leastMarkSpace > input.width;
    for (let at = 0; at < length; at += 1) {
      const x = toPixels(input.view, input.width, startNs[at] as number);
      if (isCrowd) this.#strokes.push(x, y);
      else if (rowKind(input.trace, row[at] as number) === 'event-wait') this.#waits.push(x, y);
      else this.#records.push(x, y);
      if (isOpSelected(input, row[at] as number)) this.#selected.push({ x: x - 6, y: y - 2, width: 12, height: 12 });
    }
  }

  #bandwidth({ view, width }: FrameInput, track: BandwidthTrack, top: number): void {
    const baseline = top + track.height - track.padding;
    const most = Math.max(track.bandwidth.peak, track.attainable ?? 0, track.limit ?? 0) * curveHeadroom;
    const yOf = (rate: number): number => baseline - (most > 0 ? rate / most : 0) * (track.height - 2 * track.padding);
    const points: number[] = [];
    const steps = track.bandwidth.steps(view.startNs, view.endNs, width);
    steps.forEach((step, k) => {
      const next = steps[k + 1]?.startNs ?? view.endNs;
      const y = yOf(step.rate);
      points.push(toPixels(view, width, step.startNs), y, toPixels(view, width, next), y);
    });
    const limitY = track.attainable === null ? null : yOf(track.attainable);
    this.#bandwidths.push({ direction: track.direction, points, baseline, limitY, clipY: this.#clipY });
  }

  #counter({ view, width }: FrameInput, track: CounterTrack, top: number): void {
    const columns = Math.ceil(width);
    const { least, most } = this.#counterColumns(columns);
    track.counter.fill({ least, most }, view.startNs, view.startNs + (columns * spanNs(view)) / width, columns);
    const { peak } = track.counter;
    const perUnit = peak > 0 ? (track.height - 2 * track.padding) / (peak * curveHeadroom) : 0;
    for (let x = 0; x < columns; x += 1) {
      least[x] = (least[x] as number) * perUnit;
      most[x] = (most[x] as number) * perUnit;
    }
    this.#counters.push({ least, most, columns, baseline: top + track.height - track.padding, clipY: this.#clipY });
  }

  #counterColumns(columns: number): CounterColumns {
    const at = this.#counters.length;
    const known = this.#columnsOf[at];
    if (known !== undefined && known.least.length >= columns) return known;
    const made = { least: new Float64Array(columns), most: new Float64Array(columns) };
    this.#columnsOf[at] = made;
    return made;
  }

  #finish(input: FrameInput): Frame {
    const { width, height, tracks, ticks, scrollTop, selectedRow, flows, evidence, notes, view } = input;
    const boxes = selectedRow === null ? [] : this.#rowBoxes(input, selectedRow);
    const related = new Set([...flows.flatMap(({ from, to }) => [from, to]), ...evidence]);
    const others = [...related].filter((row) => row !== selectedRow);
    const joined = new Map(others.map((row) => [row, this.#rowBoxes(input, row)]));
    const arrowsOf = (kind: Flow['kind']): number[] =>
      flows
        .filter((flow) => flow.kind === kind)
        .flatMap(({ from, to }) => {
          const [start, end] = [from, to].map((row) => (row === selectedRow ? boxes : joined.get(row))?.[0]);
          return arrow(start, end);
        });
    return {
      width,
      height,
      batches: this.#batches,
      labels: this.#labels,
      records: this.#records,
      waits: this.#waits,
      strokes: this.#strokes,
      bandwidths: this.#bandwidths,
      counters: this.#counters,
      gridX: ticks.ticks.map((tick) => toPixels(view, width, tick.timeNs)),
      separatorY: tracks
        .filter((track) => track.edge && (track.pinned || track.top + track.height - scrollTop > this.#pinnedHeight))
        .map((track) => screenTop(track, scrollTop) + track.height),
      pinnedHeight: this.#pinnedHeight,
      selected: [...boxes, ...this.#selected].filter(isDrawn),
      joined: [...joined.values()].flat().filter(isDrawn),
      arrows: { issues: arrowsOf('issues'), releases: arrowsOf('releases') },
      hazards: this.#hazards,
      missed: this.#missed,
      found: input.found === null ? null : this.#found(input, input.found),
      noteX: notes
        .flatMap(({ startNs, endNs }) => (endNs > startNs ? [startNs, endNs] : [startNs]))
        .map((time) => toPixels(view, width, time))
        .filter((x) => x >= 0 && x <= width),
      area: areaOf(input),
    };
  }

  /** Returns the bars that match the search; only the first of those in one pixel of a lane. */
  #found(input: FrameInput, rows: Uint32Array): Box[] {
    const { trace, view, width } = input;
    const boxes: Box[] = [];
    const taken = new Set<number>();
    for (const row of rows) {
      const start = trace.columns.startNs[row] as number;
      if (start > view.endNs || boxes.length >= mostFound) break;
      if (rowEndNs(trace, row) < view.startNs) continue;
      const pixel = Math.floor(Math.max(toPixels(view, width, start), -1));
      const right = toPixels(view, width, rowEndNs(trace, row));
      const place = (trace.columns.lane[row] as number) * (Math.ceil(width) + 2) + pixel + 1;
      if (right - pixel < 2 && taken.has(place)) continue;
      if (right - pixel < 2) taken.add(place);
      boxes.push(...this.#rowBoxes(input, row).filter(({ y, height }) => height > 0 && y < input.height));
    }
    return boxes;
  }

  /** Returns the places of a row: on its stream and engine, or on its host thread; none if those are hidden. */
  #rowBoxes({ trace, tracks, scrollTop, view, width }: FrameInput, row: RowIndex): Box[] {
    const [start, end] = [trace.columns.startNs[row] ?? 0, rowEndNs(trace, row)];
    const own = [trace.columns.lane[row], trace.columns.engine[row]];
    return tracks.flatMap((track) => {
      if (track.kind !== 'lane' || !own.includes(track.number)) return [];
      const top = screenTop(track, scrollTop);
      const clipY = track.pinned ? 0 : this.#pinnedHeight;
      if (end === start) return [clipped(toPixels(view, width, start) - 6, top + 1, 12, 12, clipY)];
      const depth = rowDepth(track, row, (start + end) / 2);
      if (depth < 0) return [];
      const [x, breadth] = crispSpan(toPixels(view, width, start), toPixels(view, width, end), width);
      return [clipped(x, top + barOffset(track, depth), breadth, barHeight(track), clipY)];
    });
  }
}

/** Returns the part of a box below a height. Only the edge is left of a box above it, as an end for arrows. */
function clipped(x: number, y: number, width: number, height: number, clipY: number): Box {
  const top = Math.max(y, clipY);
  return { x, y: top, width, height: Math.max(0, y + height - top) };
}

const isDrawn = ({ height }: Box): boolean => height > 0;

/** Returns left edge and width on whole pixels, with a gap of one after wide bars, clipped far outside the plot. */
function crispSpan(x: number, right: number, width: number): readonly [left: number, breadth: number] {
  const left = Math.round(Math.max(x, -20));
  const breadth = Math.max(Math.round(Math.min(right, width + 20)) - left, 1);
  return [left, breadth > 3 ? breadth - 1 : breadth];
}

const barHeight = ({ barHeight, index }: LaneTrack): number => barHeight - (index.depths > 1 && barHeight > 3 ? 1 : 0);

function isOpSelected({ selectedOp, selectedRow, trace }: FrameInput, row: RowIndex): boolean {
  return selectedRow === null && selectedOp !== null && trace.columns.op[row] === selectedOp;
}

function rowDepth(track: LaneTrack, row: RowIndex, middleNs: number): number {
  for (let depth = 0; depth < track.index.depths; depth += 1) {
    if (track.index.hit(middleNs, depth, 0) === row) return depth;
  }
  return -1;
}

function areaOf({ area, view, width }: FrameInput): Frame['area'] {
  if (area === null) return null;
  const left = Math.max(toPixels(view, width, area.startNs), -2);
  const right = Math.min(toPixels(view, width, area.endNs), width + 2);
  return right < left ? null : { x: left, width: Math.max(right - left, 1) };
}

/** Returns an arrow between the facing edges, near the boxes' starts. */
function arrow(from: Box | undefined, to: Box | undefined): number[] {
  if (from === undefined || to === undefined) return [];
  const isDown = from.y <= to.y;
  const x = (box: Box): number => box.x + Math.min(6, box.width / 2);
  return [x(from), isDown ? from.y + from.height : from.y, x(to), isDown ? to.y : to.y + to.height];
}
