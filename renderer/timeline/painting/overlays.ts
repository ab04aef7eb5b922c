/** Shapes over the bars, drawn with canvas paths since they are few: outlines, arrows, signs and notes. */
import type { CanvasColours } from '../../common/palette.ts';
import type { Box } from './boxes.ts';
import type { Frame } from './frame.ts';
import { type Sign, signSize } from './signs.ts';

/** The part of a canvas context that lanes are drawn with; drawings have a pen of their own. */
export type Pen = Pick<
  CanvasRenderingContext2D,
  | ('fillStyle' | 'strokeStyle' | 'lineWidth' | 'globalAlpha' | 'font' | 'textAlign' | 'textBaseline')
  | ('beginPath' | 'moveTo' | 'lineTo' | 'closePath' | 'rect' | 'arc')
  | ('fill' | 'stroke' | 'fillRect' | 'fillText' | 'setLineDash')
>;

/** Opacity of the veil over bars that don't match the search. */
const veilShare = 0.68;

export function outline(pen: Pen, boxes: readonly Box[], stroke: string, dash: number[]): void {
  if (boxes.length === 0) return;
  pen.beginPath();
  for (const { x, y, width, height } of boxes) pen.rect(x - 1, y - 1, width + 2, height + 2);
  stroked(pen, stroke, 2, dash);
}

export function arrows(pen: Pen, lines: readonly number[], stroke: string, dash: number[]): void {
  if (lines.length === 0) return;
  for (const [part, ofPart] of [
    [line, dash],
    [head, []],
  ] as const) {
    pen.beginPath();
    for (let at = 0; at + 3 < lines.length; at += 4) {
      part(pen, ...(lines.slice(at, at + 4) as [number, number, number, number]));
    }
    stroked(pen, stroke, 1.5, ofPart);
  }
}

function line(pen: Pen, x1: number, y1: number, x2: number, y2: number): void {
  pen.moveTo(x1, y1);
  pen.lineTo(x2, y2);
}

/** Draws the head of an arrow; short arrows have none. */
function head(path: Pen, x1: number, y1: number, x2: number, y2: number): void {
  const length = Math.hypot(x2 - x1, y2 - y1);
  if (length < 8) return;
  const [across, down] = [(x2 - x1) / length, (y2 - y1) / length];
  for (const side of [-1, 1]) {
    path.moveTo(x2, y2);
    path.lineTo(x2 - 6 * across + side * 3 * down, y2 - 6 * down - side * 3 * across);
  }
}

/** Outlines bars that match the search, and dims all others. */
export function drawFound(
  pen: Pen,
  found: readonly Box[],
  { width, height }: Frame,
  { surface, text }: CanvasColours,
): void {
  pen.beginPath();
  pen.rect(0, 0, width, height);
  for (const box of found) pen.rect(box.x, box.y, box.width, box.height);
  pen.fillStyle = surface;
  pen.globalAlpha = veilShare;
  pen.fill('evenodd');
  pen.globalAlpha = 1;
  pen.beginPath();
  for (const { x, y, width: across, height: down } of found) {
    if (across > 2) pen.rect(x + 0.5, y + 0.5, across - 1, down - 1);
  }
  stroked(pen, text, 1, []);
}

/**
 * Draws a triangle for a hazard, besides its striped band, and a crossed disc for a missed overlap, as on the verdict's
 * card. Neither relies on colour alone.
 */
export function drawSigns(pen: Pen, signs: readonly Sign[], colours: CanvasColours): void {
  const { missed, surface } = colours;
  const [radius, arm] = [signSize / 2 - 0.5, 2.2];
  const middles = signs
    .filter(({ says }) => says === 'missed')
    .map(({ x, y }) => [x + signSize / 2, y + signSize / 2 + 0.5] as const);
  pen.beginPath();
  for (const [x, y] of middles) {
    pen.moveTo(x + radius, y);
    pen.arc(x, y, radius, 0, 2 * Math.PI);
  }
  pen.fillStyle = missed;
  pen.fill();
  stroked(pen, surface, 1, []);
  pen.beginPath();
  for (const [x, y] of middles) {
    line(pen, x - arm, y - arm, x + arm, y + arm);
    line(pen, x - arm, y + arm, x + arm, y - arm);
  }
  stroked(pen, surface, 1.6, []);
  for (const { says, x, y } of signs) if (says === 'hazard') warningSign(pen, x, y, colours);
}

function warningSign(pen: Pen, x: number, y: number, colours: CanvasColours): void {
  const [middle, bottom] = [x + signSize / 2, y + signSize];
  pen.beginPath();
  polygon(pen, [middle, y + 1, x + signSize, bottom, x, bottom]);
  pen.fillStyle = colours.hazard;
  pen.fill();
  stroked(pen, colours.surface, 1, []);
  pen.fillStyle = colours.surface;
  pen.fillRect(middle - 0.7, y + 4.5, 1.4, 3.6);
  pen.fillRect(middle - 0.7, y + 9, 1.4, 1.4);
}

export function drawNotes(pen: Pen, { noteX, height }: Frame, colour: string): void {
  if (noteX.length === 0) return;
  pen.beginPath();
  for (const x of noteX) line(pen, Math.round(x) + 0.5, 0, Math.round(x) + 0.5, height);
  stroked(pen, colour, 1, [3, 3]);
}

export function stroked(pen: Pen, stroke: string, lineWidth: number, dash: readonly number[]): void {
  pen.strokeStyle = stroke;
  pen.lineWidth = lineWidth;
  pen.setLineDash([...dash]);
  pen.stroke();
  pen.setLineDash([]);
}

export function polygon(pen: Pen, points: readonly [x: number, y: number, ...more: number[]]): void {
  pen.moveTo(points[0], points[1]);
  for (let at = 2; at < points.length; at += 2) pen.lineTo(points[at] as number, points[at + 1] as number);
  pen.closePath();
}
