/** One frame of the timeline as plain geometry: what to draw, in pixels, batched by colour; and what it is made from. */
import type { Flow } from '../../../core/figures/flows.ts';
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
  /** Pixels in which rows are narrower than one: the ground shows that something is there, the fill how much. */
  readonly grounds: Boxes;
  readonly fills: Boxes;
}

export interface FrameBandwidth {
  readonly direction: 'h2d' | 'd2h';
  /** x, y of a step line, from left to right. */
  readonly points: readonly number[];
  readonly baseline: number;
  readonly limitY: number | null;
  /** Nothing is drawn above: pinned lanes are there. */
  readonly clipY: number;
}

/** A quantity over time: least and most in each column of pixels, as heights above the baseline. */
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
  /** x and y of the tips of marks: events recorded, and waits passed. */
  readonly records: readonly number[];
  readonly waits: readonly number[];
  /** The same of marks that stand too close in their lane to be told apart. */
  readonly strokes: readonly number[];
  readonly bandwidths: readonly FrameBandwidth[];
  readonly counters: readonly FrameCounter[];
  readonly gridX: readonly number[];
  readonly separatorY: readonly number[];
  /** Lower edge of the pinned lanes; 0 where none is. */
  readonly pinnedHeight: number;
  readonly selected: readonly Box[];
  readonly joined: readonly Box[];
  /** x1, y1, x2, y2 from a host call to what it issued, and from an event's record to a wait that it releases. */
  readonly arrows: Readonly<Record<Flow['kind'], readonly number[]>>;
  /** Bars and marks whose operation has part in a hazard. */
  readonly hazards: readonly Box[];
  /** Bars of what could have overlapped and didn't. */
  readonly missed: readonly Box[];
  /** Bars that are searched for; null while nothing is. */
  readonly found: readonly Box[] | null;
  /** x of the beginnings and ends of notes. */
  readonly noteX: readonly number[];
  /** A stretch of time that is selected; null where none is, or where it is out of sight. */
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
  /** Of the selected row. */
  readonly flows: readonly Flow[];
  /** What the verdict on the selection rests on. */
  readonly evidence: readonly RowIndex[];
  /** Operations that have part in a hazard. */
  readonly hazards: { has(op: number): boolean; readonly size: number };
  /** Rows that could have overlapped and didn't. */
  readonly missed: { has(row: RowIndex): boolean; readonly size: number };
  /** Rows that are searched for, in order of start; null while nothing is. */
  readonly found: Uint32Array | null;
  readonly notes: readonly TimeView[];
  readonly area: TimeView | null;
  /** Paint of each name, where bars are coloured by that; null where by their kind. */
  readonly tones: Uint8Array | null;
  readonly labelOf: (row: RowIndex) => string;
}

/** Ranges lie under what is in them. */
export function inPaintOrder({ batches }: Frame): Batch[] {
  const place = (name: PaintName): number => (name === 'host-range' ? -1 : paintNames.indexOf(name));
  return [...batches].sort((a, b) => place(a.paint) - place(b.paint));
}
