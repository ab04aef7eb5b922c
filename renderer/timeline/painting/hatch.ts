/** Patterns over fills, the second cue besides colour. They are small canvases, made once for each paint and theme. */
import { type Paint, type PaintName, paint, type Scheme } from '../../common/palette.ts';
import type { Pen } from './overlays.ts';
import { pixel, type Tile } from './raster.ts';

const made = new Map<string, Tile>();
/** Side of a pattern in pixels of the window. */
export const patternSide = 8;
const dotRadius = 1.1;

/** Returns a paint with its pattern for a screen with `ratio` pixels for each of the window's. */
export function hatchTile(name: PaintName, scheme: Scheme, ratio: number): Tile {
  const key = `${name}:${scheme}:${ratio}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const pixels = Math.max(1, Math.round(patternSide * ratio));
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [pixels, pixels];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return { side: 1, pixels: Uint32Array.of(pixel(paint(name, scheme).fill)) };
  context.scale(pixels / patternSide, pixels / patternSide);
  drawPattern(context, paint(name, scheme));
  const tile = { side: pixels, pixels: new Uint32Array(context.getImageData(0, 0, pixels, pixels).data.buffer) };
  made.set(key, tile);
  return tile;
}

/** Draws a paint with its pattern, which continues across the square's edges. */
export function drawPattern(pen: Pen, { fill, text, pattern }: Paint): void {
  pen.fillStyle = fill;
  pen.fillRect(0, 0, patternSide, patternSide);
  // Opposed to the text's colour, so that text on the pattern gains contrast; a faint pattern needs none.
  const ink = pattern === 'sparse' ? text : text === '#ffffff' ? '#000000' : '#ffffff';
  pen.globalAlpha = pattern === 'sparse' ? 0.28 : 0.2;
  pen.beginPath();
  if (pattern === 'dots') {
    pen.fillStyle = ink;
    for (const at of [2, 6]) {
      pen.moveTo(at + dotRadius, at);
      pen.arc(at, at, dotRadius, 0, 2 * Math.PI);
    }
    pen.fill();
    return;
  }
  pen.strokeStyle = ink;
  pen.lineWidth = pattern === 'sparse' ? 1 : 1.5;
  const [from, to] = pattern === 'falling' ? [0, patternSide] : [patternSide, 0];
  for (const shift of [-patternSide, 0, patternSide]) {
    pen.moveTo(shift, from);
    pen.lineTo(shift + patternSide, to);
  }
  pen.stroke();
}
