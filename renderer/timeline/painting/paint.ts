/**
 * Paints a frame, on the canvas of the window or into a drawing. Boxes come in thousands and go onto a ground; the few
 * labels, outlines and arrows over them are drawn with a pen.
 */
import { type CanvasColours, type PaintName, paint } from '../../common/palette.ts';
import { sans } from '../../common/theme.ts';
import type { Box, Boxes } from './boxes.ts';
import { type Batch, type Frame, type FrameBandwidth, type FrameCounter, inPaintOrder } from './frame.ts';
import { arrows, drawFound, drawNotes, drawSigns, outline, type Pen, polygon, stroked } from './overlays.ts';
import { mixed, type Pixel, pixel } from './raster.ts';
import { Signs } from './signs.ts';

/** Takes boxes in pixels of the window. */
export interface Ground {
  /** Begins a layer over all earlier ones. Within a layer, a colour lies over those that were used before it. */
  layer(): void;
  rectangle(x: number, y: number, width: number, height: number, colour: Pixel): void;
  /** Fills a box whose upper edge may lie within a pixel. */
  column(x: number, y: number, width: number, height: number, colour: Pixel): void;
  /** Fills a box with a paint and its pattern. */
  tile(name: PaintName, x: number, y: number, width: number, height: number): void;
}

/** Text uses the window's font. */
const font = `11.5px ${sans}`;
const groundShare = 0.32;
const bandwidthShare = 0.18;
/** Shares of a counter's colour: below the least value of a pixel, and from there to the most. */
const counterShare = 0.22;
const counterRangeShare = 0.5;
const leastPatternWidth = 6;
const hazardBand = 4;

/** Paints from the background up: lines, bars, bandwidth, dense marks, and the bands of hazards. */
export function paintGround(ground: Ground, frame: Frame, colours: CanvasColours): void {
  const surface = pixel(colours.surface);
  lines(ground, frame, pixel(colours.line));
  for (const batch of inPaintOrder(frame)) bars(ground, batch, surface, colours);
  for (const bandwidth of frame.bandwidths) curve(ground, bandwidth, frame.width, surface, colours);
  for (const one of frame.counters) counter(ground, one, surface, pixel(colours.textDim));
  ground.layer();
  const mark = pixel(paint('mark', colours.scheme).fill);
  eachPoint(frame.strokes, (x, y) => ground.rectangle(Math.floor(x), y, 1, 8, mark));
  bands(ground, frame.hazards, surface, pixel(colours.hazard));
}

/** `fitted` returns the part of a text that fits a width. */
export function paintOver(
  pen: Pen,
  frame: Frame,
  colours: CanvasColours,
  fitted: (text: string, space: number) => string,
): void {
  if (frame.area !== null) area(pen, frame.height, frame.area, colours.accent);
  drawMarks(pen, frame, paint('mark', colours.scheme).fill, colours.surface);
  const signs = new Signs(frame.hazards, frame.missed);
  pen.font = font;
  pen.textBaseline = 'middle';
  for (const { x, y, width, height, text, paint: name } of frame.labels) {
    pen.fillStyle = paint(name, colours.scheme).text;
    const indent = signs.indent(x, y);
    const shown = fitted(text, width - 5 - indent);
    if (shown !== '') pen.fillText(shown, x + indent, y + height / 2 + 0.5);
  }
  if (frame.found !== null) drawFound(pen, frame.found, frame, colours);
  drawSigns(pen, signs.all, colours);
  drawNotes(pen, frame, colours.note);
  outline(pen, frame.joined, colours.selected, [4, 2]);
  arrows(pen, frame.arrows.issues, colours.selected, []);
  arrows(pen, frame.arrows.releases, colours.selected, [5, 3]);
  outline(pen, frame.selected, colours.selected, []);
}

function lines(ground: Ground, { gridX, separatorY, pinnedHeight, width, height }: Frame, colour: Pixel): void {
  ground.layer();
  for (const x of gridX) ground.rectangle(Math.round(x), 0, 1, height, colour);
  for (const y of separatorY) ground.rectangle(0, Math.round(y - 1), width, 1, colour);
  if (pinnedHeight > 0) ground.rectangle(0, pinnedHeight - 2, width, 2, colour);
}

function bars(ground: Ground, batch: Batch, surface: Pixel, { scheme }: CanvasColours): void {
  const { fill, pattern } = paint(batch.paint, scheme);
  const colour = pixel(fill);
  const share = mixed(colour, surface, groundShare);
  ground.layer();
  each(batch.grounds, (x, y, width, height) => ground.rectangle(x, y, width, height, share));
  each(batch.fills, (x, y, width, height) => ground.column(x, y, width, height, colour));
  each(batch.bars, (x, y, width, height) => {
    if (pattern === 'none' || width < leastPatternWidth) ground.rectangle(x, y, width, height, colour);
    else ground.tile(batch.paint, x, y, width, height);
  });
}

function curve(
  ground: Ground,
  { direction, points, baseline, limitY, clipY }: FrameBandwidth,
  width: number,
  surface: Pixel,
  colours: CanvasColours,
): void {
  const line = pixel(paint(direction, colours.scheme).fill);
  const below = mixed(line, surface, bandwidthShare);
  let before = baseline;
  ground.layer();
  for (let at = 0; at + 3 < points.length; at += 4) {
    const [x, right] = [points[at] as number, points[at + 2] as number];
    const y = Math.max(points[at + 1] as number, clipY);
    ground.rectangle(x, y, right - x, baseline - y, below);
    if (y < baseline || before < baseline) {
      const top = Math.min(y, before);
      ground.rectangle(x, top, 1, Math.max(Math.max(y, before) - top, 1), line);
      if (y > clipY) ground.rectangle(x, y - 0.5, Math.max(right - x, 1), 1.5, line);
    }
    before = y;
  }
  if (limitY === null || limitY < clipY) return;
  const dash = pixel(colours.textDim);
  for (let x = 0; x < width; x += 6) ground.rectangle(x, Math.round(limitY), 3, 1, dash);
}

/** Fills a counter up to a pixel's least value, and in another shade up to its most; equal neighbours are one box. */
function counter(
  ground: Ground,
  { least, most, columns, baseline, clipY }: FrameCounter,
  surface: Pixel,
  line: Pixel,
): void {
  const [below, range] = [mixed(line, surface, counterShare), mixed(line, surface, counterRangeShare)];
  ground.layer();
  for (let x = 0; x < columns; ) {
    const [low, high] = [least[x] as number, most[x] as number];
    let next = x + 1;
    while (next < columns && least[next] === low && most[next] === high) next += 1;
    const top = Math.max(baseline - high, clipY);
    if (high > 0) {
      ground.rectangle(x, Math.max(baseline - low, top), next - x, Math.min(low, baseline - top), below);
      ground.rectangle(x, top, next - x, baseline - low - top, range);
      if (top > clipY) ground.rectangle(x, top - 0.5, next - x, 1.5, line);
    }
    x = next;
  }
}

/** Draws a striped band at the foot of a bar in a hazard; drawSigns() adds a sign. */
function bands(ground: Ground, boxes: readonly Box[], surface: Pixel, colour: Pixel): void {
  ground.layer();
  for (const box of boxes) {
    const height = Math.min(hazardBand, box.height / 2);
    const [y, end] = [box.y + box.height - height, box.x + box.width];
    ground.rectangle(box.x, y, box.width, height, surface);
    for (let x = box.x; x < end; x += 6) ground.rectangle(x, y, Math.min(3, end - x), height, colour);
  }
}

function each({ values, length }: Boxes, draw: (x: number, y: number, width: number, height: number) => void): void {
  for (let at = 0; at < length; at += 4) {
    draw(values[at] as number, values[at + 1] as number, values[at + 2] as number, values[at + 3] as number);
  }
}

function eachPoint(numbers: readonly number[], draw: (x: number, y: number) => void): void {
  for (let at = 0; at + 1 < numbers.length; at += 2) draw(numbers[at] as number, numbers[at + 1] as number);
}

function area(pen: Pen, height: number, { x, width }: NonNullable<Frame['area']>, accent: string): void {
  pen.fillStyle = accent;
  pen.globalAlpha = 0.16;
  pen.fillRect(x, 0, width, height);
  pen.globalAlpha = 1;
  pen.fillRect(x, 0, 1, height);
  pen.fillRect(x + width - 1, 0, 1, height);
}

/** Draws recorded events as triangles that point at their times, and passed waits as diamonds. */
export function drawMarks(
  pen: Pen,
  { records, waits }: Pick<Frame, 'records' | 'waits'>,
  colour: string,
  surface: string,
): void {
  pen.fillStyle = colour;
  pen.beginPath();
  eachPoint(records, (x, y) => polygon(pen, [x - 4.5, y, x + 4.5, y, x, y + 8]));
  pen.fill();
  pen.fillStyle = surface;
  pen.beginPath();
  eachPoint(waits, (x, y) => polygon(pen, [x, y - 0.5, x + 4.5, y + 4, x, y + 8.5, x - 4.5, y + 4]));
  pen.fill();
  stroked(pen, colour, 1.5, []);
}
