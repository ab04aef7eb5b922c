/** Patterns over fills, the second cue besides colour. They are small canvases, made once for each paint and theme. */
import { type PaintName, type Pattern, paint, type Scheme } from '../../common/palette.ts';
import { pixel, type Tile } from './raster.ts';

const made = new Map<string, Tile>();
const side = 8;

/** Returns a paint with its pattern for a screen with `ratio` pixels for each of the window's. */
export function hatchTile(name: PaintName, scheme: Scheme, ratio: number): Tile {
  const key = `${name}:${scheme}:${ratio}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const { fill, text, pattern } = paint(name, scheme);
  const tile = render(drawPattern(pattern, ink(pattern, text)), fill, Math.max(1, Math.round(side * ratio)));
  made.set(key, tile);
  return tile;
}

function render(pattern: HTMLCanvasElement, fill: string, pixels: number): Tile {
  const canvas = document.createElement('canvas');
  canvas.width = pixels;
  canvas.height = pixels;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (context === null) return { side: 1, pixels: Uint32Array.of(pixel(fill)) };
  context.fillStyle = fill;
  context.fillRect(0, 0, pixels, pixels);
  context.drawImage(pattern, 0, 0, pixels, pixels);
  return { side: pixels, pixels: new Uint32Array(context.getImageData(0, 0, pixels, pixels).data.buffer) };
}

/** Returns a colour opposed to the text's, so that text on the pattern gains contrast; a faint pattern needs none. */
function ink(pattern: Pattern, text: string): string {
  if (pattern === 'sparse') return text;
  return text === '#ffffff' ? '#000000' : '#ffffff';
}

function drawPattern(pattern: Pattern, colour: string): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = side;
  canvas.height = side;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.globalAlpha = pattern === 'sparse' ? 0.28 : 0.2;
  context.lineWidth = pattern === 'sparse' ? 1 : 1.5;
  if (pattern === 'dots') dots(context);
  else stripes(context, pattern === 'falling' ? 1 : -1);
  return canvas;
}

function dots(context: CanvasRenderingContext2D): void {
  for (const [x, y] of [
    [2, 2],
    [6, 6],
  ] as const) {
    context.beginPath();
    context.arc(x, y, 1.1, 0, 2 * Math.PI);
    context.fill();
  }
}

/** Draws diagonals that continue across the tile's edges. */
function stripes(context: CanvasRenderingContext2D, slope: 1 | -1): void {
  context.beginPath();
  for (const shift of [-side, 0, side]) {
    context.moveTo(shift, slope > 0 ? 0 : side);
    context.lineTo(shift + side, slope > 0 ? side : 0);
  }
  context.stroke();
}
