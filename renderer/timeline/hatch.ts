/** Patterns over fills: the second cue beside colour. Small canvases, made once for each paint and theme. */
import { type PaintName, type Pattern, paint, type Scheme } from '../app/palette.ts';

interface Fill {
  readonly image: HTMLCanvasElement;
  readonly repeat: 'repeat';
}

const made = new Map<string, Fill>();
const side = 8;

/** A pattern to fill with; null for none. */
export function hatch(pattern: Pattern, scheme: Scheme, name: PaintName): Fill | null {
  if (pattern === 'none') return null;
  const key = `${pattern}:${scheme}:${name}`;
  const known = made.get(key);
  if (known !== undefined) return known;
  const fill: Fill = { image: drawPattern(pattern, ink(pattern, paint(name, scheme).text)), repeat: 'repeat' };
  made.set(key, fill);
  return fill;
}

/** Away from the text's own colour, so that words on the pattern gain contrast; only a faint pattern may do otherwise. */
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

/** Diagonals that meet across the tile's edges. */
function stripes(context: CanvasRenderingContext2D, slope: 1 | -1): void {
  context.beginPath();
  for (const shift of [-side, 0, side]) {
    context.moveTo(shift, slope > 0 ? 0 : side);
    context.lineTo(shift + side, slope > 0 ? side : 0);
  }
  context.stroke();
}
