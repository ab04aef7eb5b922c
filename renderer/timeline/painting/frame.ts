/** One frame of the timeline as plain geometry in pixels, batched by colour, and the input it is made from. */
import type { Flow } from '../../../core/explain/figures/flows.ts';
import type { RowIndex, Trace } from '../../../core/trace/trace.ts';
import { type PaintName, paintNames } from '../../common/palette.ts';
import type { Ticks } from '../time/ticks.ts';
import type { TimeView } from '../time/timeView.ts';
import type { Track } from '../tracks/tracks.ts';
import type { Box, Boxes } from './boxes.ts';

export interface FrameLabel extends Box {
  readonly text: string;
  readonly paint: PaintName;
}

/** Boxes of one colour. */
export interface Batch {
  readonly paint: PaintName;
  /** Rows at least a pixel wide, on whole pixels. */
  readonly bars: Boxes;
  /** Pixels with rows narrower than one: the ground shows that rows exist, the fill how busy the pixel is. */
  readonly grounds: Boxes;
  readonly fills: Boxes;
}

export interface FrameBandwidth {
  readonly direction: 'h2d' | 'd2h';
  /** x, y of a step line, from left to right. */
  readonly points: readonly number[];
  readonly baseline: number;
  readonly limitY: number | null;
  /** Nothing is drawn above this height, where the pinned lanes are. */
  readonly clipY: number;
}

/** A quantity over time: least and most in each pixel column, as heights above the baseline. */
export interface FrameCounter {
  readonly least: Float64Array;
  readonly most: Float64Array;
  readonly columns: number;
  readonly baseline: number;
  readonly clipY: number;
}

export interface Frame {
  readonly width: number;
  readonly height: number;
  /** One for each of paintNames, in that order. */
  readonly batches: readonly Batch[];
  readonly labels: readonly FrameLabel[];
  /** x and y of the tips of marks: recorded events, and passed waits. */
  readonly records: readonly number[];
  readonly waits: readonly number[];
  /** x and y of marks that are too close in their lane to be distinguished. */
  readonly strokes: readonly number[];
  readonly bandwidths: readonly FrameBandwidth[];
  readonly counters: readonly FrameCounter[];
  readonly gridX: readonly number[];
  readonly separatorY: readonly number[];
  /** Lower edge of the pinned lanes; 0 without any. */
  readonly pinnedHeight: number;
  readonly selected: readonly Box[];
  readonly joined: readonly Box[];
  /** x1, y1, x2, y2 from a host call to its device work, and from an event's record to a wait that it releases. */
  readonly arrows: Readonly<Record<Flow['kind'], readonly number[]>>;
  /** Bars and marks of operations in hazards. */
  readonly hazards: readonly Box[];
  /** Bars that could have overlapped and didn't. */
  readonly missed: readonly Box[];
  /** Bars that match the search; null without a search. */
  readonly found: readonly Box[] | null;
  /** x of the beginnings and ends of notes. */
  readonly noteX: readonly number[];
  /** The selected time range; null if there is none, or it is not visible. */
  readonly area: { readonly x: number; readonly width: number } | null;
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
  /** Flows of the selected row. */
  readonly flows: readonly Flow[];
  /** Rows that are evidence of the selection's verdict. */
  readonly evidence: readonly RowIndex[];
  /** Operations in hazards. */
  readonly hazards: { has(op: number): boolean; readonly size: number };
  /** Rows that could have overlapped and didn't. */
  readonly missed: { has(row: RowIndex): boolean; readonly size: number };
  /** Rows that match the search, in order of start; null without a search. */
  readonly found: Uint32Array | null;
  readonly notes: readonly TimeView[];
  readonly area: TimeView | null;
  /** Paint of each name if bars are coloured by name; null if by kind. */
  readonly tones: Uint8Array | null;
  readonly labelOf: (row: RowIndex) => string;
}

/** Returns the batches with ranges first, which lie under their content. */
export function inPaintOrder({ batches }: Frame): Batch[] {
  const place = (name: PaintName): number => (name === 'host-range' ? -1 : paintNames.indexOf(name));
  return [...batches].sort((a, b) => place(a.paint) - place(b.paint));
}
