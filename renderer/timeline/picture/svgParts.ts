/** Parts of a drawing as SVG text: attributes without style, so that it works in any page. */
import type { Pattern } from '../../common/palette.ts';
import type { Boxes } from '../painting/boxes.ts';

/** Formats a number to a hundredth of a pixel. */
export const short = (value: number): string => String(Math.round(value * 100) / 100);

export function rectangle(x: number, y: number, width: number, height: number, fill: string, more = ''): string {
  return `<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" fill="${fill}"${more}/>`;
}

/** Returns all boxes of one colour as one path, since thousands of elements make viewers slow. */
export function boxesPath({ values, length }: Boxes, dx: number, dy: number): string {
  let path = '';
  for (let at = 0; at < length; at += 4) {
    const [x = 0, y = 0, width = 0, height = 0] = values.subarray(at, at + 4);
    path += `M${short(x + dx)} ${short(y + dy)}h${short(width)}v${short(height)}h${short(-width)}z`;
  }
  return path;
}

/** Returns the pattern over a fill, as an element that fills can reference. */
export function patternElement(id: string, pattern: Pattern, ink: string): string {
  const open = `<pattern id="${id}" width="8" height="8" patternUnits="userSpaceOnUse">`;
  const opacity = pattern === 'sparse' ? 0.28 : 0.2;
  if (pattern === 'dots') {
    const dot = (at: number): string =>
      `<circle cx="${at}" cy="${at}" r="1.1" fill="${ink}" fill-opacity="${opacity}"/>`;
    return `${open}${dot(2)}${dot(6)}</pattern>`;
  }
  const rises = pattern !== 'falling';
  const lines = [-8, 0, 8].map((x) => `M${x} ${rises ? 8 : 0}L${x + 8} ${rises ? 0 : 8}`).join('');
  const width = pattern === 'sparse' ? 1 : 1.5;
  return `${open}<path d="${lines}" stroke="${ink}" stroke-width="${width}" stroke-opacity="${opacity}"/></pattern>`;
}
