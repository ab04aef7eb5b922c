/**
 * Fills boxes straight into pixels. Tens of thousands of boxes take about a millisecond per frame here; as canvas paths
 * without a graphics card they take about a microsecond each.
 */

/** A colour in memory: red, green, blue, alpha, on the little-endian machines that browsers run on. */
export type Pixel = number;

export function pixel(colour: string): Pixel {
  const value = Number.parseInt(colour.slice(1), 16);
  return ((255 << 24) | ((value & 255) << 16) | (value & 0xff00) | (value >> 16)) >>> 0;
}

export const cssOf = (colour: Pixel): string =>
  `#${[0, 8, 16].map((shift) => ((colour >>> shift) & 255).toString(16).padStart(2, '0')).join('')}`;

/** Mixes `share` of `over` with the rest of `under`; both are opaque. */
export function mixed(over: Pixel, under: Pixel, share: number): Pixel {
  const part = (shift: number): number => {
    const value = ((over >>> shift) & 255) * share + ((under >>> shift) & 255) * (1 - share);
    return Math.round(value) << shift;
  };
  return ((255 << 24) | part(16) | part(8) | part(0)) >>> 0;
}

/** A square of pixels that repeats from the plot's corner. */
export interface Tile {
  readonly side: number;
  readonly pixels: Uint32Array;
}

/** Writing this number of pixels takes less time than calling a fill. */
const narrow = 16;

export class Raster {
  readonly width: number;
  readonly height: number;
  /** Pixels row by row, from the top. */
  readonly pixels: Uint32Array;

  constructor(width: number, height: number, pixels = new Uint32Array(width * height)) {
    this.width = width;
    this.height = height;
    this.pixels = pixels;
  }

  clear(colour: Pixel): void {
    this.pixels.fill(colour);
  }

  /** Fills whole pixels, and clips the rest. */
  fill(x: number, y: number, width: number, height: number, colour: Pixel): void {
    const [left, right] = [Math.max(x, 0), Math.min(x + width, this.width)];
    const [top, bottom] = [Math.max(y, 0), Math.min(y + height, this.height)];
    const { pixels, width: stride } = this;
    if (right <= left) return;
    if (right - left === 1) {
      for (let at = top * stride + left, end = bottom * stride; at < end; at += stride) pixels[at] = colour;
      return;
    }
    if (right - left <= narrow) {
      for (let line = top; line < bottom; line += 1) {
        for (let at = line * stride + left, end = line * stride + right; at < end; at += 1) pixels[at] = colour;
      }
      return;
    }
    for (let line = top; line < bottom; line += 1) pixels.fill(colour, line * stride + left, line * stride + right);
  }

  /** Fills a column whose upper edge may lie within a pixel, which gets its share of the colour. */
  fillColumn(x: number, width: number, y: number, bottom: number, colour: Pixel): void {
    const top = Math.ceil(y - 1e-6);
    this.fill(x, top, width, bottom - top, colour);
    const share = top - y;
    if (share < 0.004 || top <= 0 || top > this.height || x < 0 || x >= this.width) return;
    const at = (top - 1) * this.width + x;
    this.fill(x, top - 1, width, 1, mixed(colour, this.pixels[at] as number, share));
  }

  tile(x: number, y: number, width: number, height: number, { side, pixels: from }: Tile): void {
    const [left, right] = [Math.max(x, 0), Math.min(x + width, this.width)];
    const [top, bottom] = [Math.max(y, 0), Math.min(y + height, this.height)];
    for (let line = top; line < bottom; line += 1) {
      const [row, start] = [(line % side) * side, line * this.width];
      for (let at = left; at < right; at += 1) this.pixels[start + at] = from[row + (at % side)] as number;
    }
  }
}
