/**
 * Times by size. Between two measured sizes the time is interpolated on logarithms of size and time. Copy time is a
 * fixed cost plus a cost for each byte (Hockney's model, t = t0 + n / r): flat at small sizes and proportional at large
 * ones, both straight lines on those axes, on which the measured sizes (powers of 4) stand evenly apart. A straight
 * line there never gives a negative time, nor a larger copy a shorter one.
 */
export interface TimePoint {
  readonly bytes: number;
  readonly ns: number;
}

/** Time for `bytes`. Below the smallest size its time; above the largest the rate of that one. */
export type TimeTable = (bytes: number) => number;

/** `points` in ascending order of bytes, at least one, all positive. */
export function timeTable(points: readonly TimePoint[]): TimeTable {
  const sizes = Float64Array.from(points, (point) => point.bytes);
  const times = Float64Array.from(points, (point) => point.ns);
  const last = points.length - 1;
  return (bytes) => {
    let above = 0;
    while (above <= last && (sizes[above] ?? 0) < bytes) above += 1;
    if (above > last) return ((times[last] ?? 0) / (sizes[last] ?? 1)) * bytes;
    const [x1, y1] = [sizes[above] ?? 1, times[above] ?? 0];
    if (above === 0 || x1 === bytes) return y1;
    const [x0, y0] = [sizes[above - 1] ?? 1, times[above - 1] ?? 0];
    return y0 * (y1 / y0) ** (Math.log(bytes / x0) / Math.log(x1 / x0));
  };
}
