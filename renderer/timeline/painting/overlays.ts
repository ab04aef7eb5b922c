/** Shapes over the bars, drawn with canvas paths since they are few: outlines, arrows, signs and notes. */
import type { CanvasColours } from '../../common/palette.ts';
import type { Box } from './boxes.ts';
import type { Frame } from './frame.ts';
import { type Sign, signSize } from './signs.ts';

/** Opacity of the veil over bars that don't match the search. */
const veilShare = 0.68;

export function outline(
  context: CanvasRenderingContext2D,
  boxes: readonly Box[],
  stroke: string,
  dash: number[],
): void {
  if (boxes.length === 0) return;
  context.beginPath();
  for (const { x, y, width, height } of boxes) context.rect(x - 1, y - 1, width + 2, height + 2);
  stroked(context, stroke, 2, dash);
}

export function arrows(
  context: CanvasRenderingContext2D,
  lines: readonly number[],
  stroke: string,
  dash: number[],
): void {
  if (lines.length === 0) return;
  const heads = new Path2D();
  context.beginPath();
  for (let at = 0; at + 3 < lines.length; at += 4) {
    const [x1, y1, x2, y2] = lines.slice(at, at + 4) as [number, number, number, number];
    context.moveTo(x1, y1);
    context.lineTo(x2, y2);
    head(heads, x1, y1, x2, y2);
  }
  stroked(context, stroke, 1.5, dash);
  context.stroke(heads);
}

/** Draws the head of an arrow; short arrows have none. */
function head(path: Path2D, x1: number, y1: number, x2: number, y2: number): void {
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
  context: CanvasRenderingContext2D,
  found: readonly Box[],
  { width, height }: Frame,
  { surface, text }: CanvasColours,
): void {
  const veil = new Path2D();
  veil.rect(0, 0, width, height);
  for (const box of found) veil.rect(box.x, box.y, box.width, box.height);
  context.fillStyle = surface;
  context.globalAlpha = veilShare;
  context.fill(veil, 'evenodd');
  context.globalAlpha = 1;
  context.beginPath();
  for (const { x, y, width: across, height: down } of found) {
    if (across > 2) context.rect(x + 0.5, y + 0.5, across - 1, down - 1);
  }
  stroked(context, text, 1, []);
}

/**
 * Draws a triangle for a hazard, besides its striped band, and a crossed disc for a missed overlap, as on the verdict's
 * card. Neither relies on colour alone.
 */
export function drawSigns(context: CanvasRenderingContext2D, signs: readonly Sign[], colours: CanvasColours): void {
  crossedDiscs(
    context,
    signs.filter(({ says }) => says === 'missed'),
    colours,
  );
  for (const { says, x, y } of signs) if (says === 'hazard') warningSign(context, x, y, colours);
}

/** Draws each disc in the middle of its square. */
function crossedDiscs(
  context: CanvasRenderingContext2D,
  signs: readonly Sign[],
  { missed, surface }: CanvasColours,
): void {
  if (signs.length === 0) return;
  const [discs, crosses] = [new Path2D(), new Path2D()];
  const [radius, arm] = [signSize / 2 - 0.5, 2.2];
  for (const { x, y } of signs) {
    const [across, down] = [x + signSize / 2, y + signSize / 2 + 0.5];
    discs.moveTo(across + radius, down);
    discs.arc(across, down, radius, 0, 2 * Math.PI);
    for (const side of [-1, 1]) {
      crosses.moveTo(across - arm, down - side * arm);
      crosses.lineTo(across + arm, down + side * arm);
    }
  }
  context.fillStyle = missed;
  context.fill(discs);
  context.strokeStyle = surface;
  context.lineWidth = 1;
  context.stroke(discs);
  context.lineWidth = 1.6;
  context.stroke(crosses);
}

function warningSign(context: CanvasRenderingContext2D, x: number, y: number, colours: CanvasColours): void {
  const [middle, bottom] = [x + signSize / 2, y + signSize];
  context.beginPath();
  context.moveTo(middle, y + 1);
  context.lineTo(x + signSize, bottom);
  context.lineTo(x, bottom);
  context.closePath();
  context.fillStyle = colours.hazard;
  context.fill();
  context.strokeStyle = colours.surface;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = colours.surface;
  context.fillRect(middle - 0.7, y + 4.5, 1.4, 3.6);
  context.fillRect(middle - 0.7, y + 9, 1.4, 1.4);
}

export function drawNotes(context: CanvasRenderingContext2D, { noteX, height }: Frame, colour: string): void {
  if (noteX.length === 0) return;
  context.beginPath();
  for (const x of noteX) {
    context.moveTo(Math.round(x) + 0.5, 0);
    context.lineTo(Math.round(x) + 0.5, height);
  }
  stroked(context, colour, 1, [3, 3]);
}

function stroked(context: CanvasRenderingContext2D, stroke: string, lineWidth: number, dash: number[]): void {
  context.strokeStyle = stroke;
  context.lineWidth = lineWidth;
  context.setLineDash(dash);
  context.stroke();
  context.setLineDash([]);
}
