/**
 * Interpolation between measured points. Times by size are interpolated on logarithmic axes: a copy takes a fixed time
 * plus a time per byte (Hockney's model, t = t0 + n / r), constant at small sizes and proportional at large ones, both
 * straight lines on these axes. This never gives negative times, or a shorter time for a larger copy.
 */
import type { Point } from './schema.ts';

export type Table = (place: number) => number;

/** Returns times by size: constant below the smallest size, and at the largest size's rate above it. */
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

/** Returns a function that is linear between points, proportional below the first, and constant above the last. */
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
