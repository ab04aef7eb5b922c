/**
 * Values between measured points. Times by size are interpolated on logarithms of both: copy time is a fixed cost plus a
 * cost for each byte (Hockney's model, t = t0 + n / r), flat at small sizes and proportional at large ones, both straight
 * lines on those axes. A straight line there never gives a negative time, nor a larger copy a shorter one.
 */
import type { Point } from './schema.ts';

export type Table = (place: number) => number;

/** Times by size. Below the smallest size its time; above the largest the rate of that one. */
export function timeTable(points: readonly Point[]): Table {
  const sizes = Float64Array.from(points, ([size]) => size);
  const times = Float64Array.from(points, ([, time]) => time);
  const last = points.length - 1;
  return (size) => {
    let above = 0;
    while (above <= last && (sizes[above] ?? 0) < size) above += 1;
    if (above > last) return ((times[last] ?? 0) / (sizes[last] ?? 1)) * size;
    const [x1, y1] = [sizes[above] ?? 1, times[above] ?? 0];
    if (above === 0 || x1 === size) return y1;
    const [x0, y0] = [sizes[above - 1] ?? 1, times[above - 1] ?? 0];
    return y0 * (y1 / y0) ** (Math.log(size / x0) / Math.log(x1 / x0));
  };
}

/** Straight between two points, proportional below the first, and the last one's value above it. */
export function straightTable(points: readonly Point[]): Table {
  return (place) => {
    let [low, lowValue] = [0, 0];
    for (const [high, highValue] of points) {
      if (place <= high) return lowValue + ((place - low) / (high - low)) * (highValue - lowValue);
      [low, lowValue] = [high, highValue];
    }
    return lowValue;
  };
}
