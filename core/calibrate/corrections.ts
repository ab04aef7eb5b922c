/**
 * Tables corrected by what was read at some of their points. Between two points that were read, the correction (the
 * ratio of what was read to what the table has) is interpolated on logarithms of size and ratio. Beyond the outermost
 * ones it passes into the median of all, within a factor of 16: one strange reading at an end says little of what lies
 * far from it. So a table keeps the shape that many measurements gave it, and passes through what the runs say.
 */
import { spread } from '../analysis/statistics.ts';

export interface ReadPoint {
  readonly place: number;
  readonly value: number;
}

export type Point = ReadPoint;

/** Both in ascending order of place, all values positive; the result holds the places of both. */
export function corrected(
  points: readonly Point[],
  read: readonly ReadPoint[],
  at: (place: number) => number,
): Point[] {
  const ratios = read.map(({ place, value }) => ({ place, ratio: value / at(place) }));
  const usual = spread(ratios.map(({ ratio }) => ratio))?.median ?? 1;
  const own = new Map(read.map(({ place, value }) => [place, value]));
  const places = [...new Set([...points.map(({ place }) => place), ...own.keys()])].sort((a, b) => a - b);
  return places.map((place) => ({ place, value: own.get(place) ?? at(place) * ratioAt(ratios, usual, place) }));
}

interface Ratio {
  readonly place: number;
  readonly ratio: number;
}

/** Within this factor of a place, what was read there fades out. */
const reach = 16;

function ratioAt(ratios: readonly Ratio[], usual: number, place: number): number {
  const above = ratios.findIndex((one) => one.place >= place);
  const [next, last] = [ratios[above], above < 0 ? ratios.at(-1) : ratios[above - 1]];
  if (next === undefined || last === undefined) return beyond(next ?? last, usual, place);
  const part = Math.log(place / last.place) / Math.log(next.place / last.place);
  return last.ratio * (next.ratio / last.ratio) ** part;
}

function beyond(end: Ratio | undefined, usual: number, place: number): number {
  if (end === undefined) return 1;
  const fading = Math.min(1, Math.abs(Math.log(place / end.place)) / Math.log(reach));
  return end.ratio * (usual / end.ratio) ** fading;
}

/**
 * Values that never fall, since a larger copy takes no less time: neighbours in the wrong order get their geometric
 * mean (isotonic regression by pooling adjacent violators), so that one slow reading doesn't lift all that are larger.
 */
export function ascending(points: readonly Point[]): Point[] {
  const pools: { log: number; count: number }[] = [];
  for (const { value } of points) {
    let pool = { log: Math.log(value), count: 1 };
    for (let last = pools.at(-1); last !== undefined && last.log > pool.log; last = pools.at(-1)) {
      pools.pop();
      const count = last.count + pool.count;
      pool = { log: (last.log * last.count + pool.log * pool.count) / count, count };
    }
    pools.push(pool);
  }
  const values = pools.flatMap(({ log, count }) => new Array<number>(count).fill(Math.exp(log)));
  // Logarithms there and back move a value by rounding, which must not bring two out of order.
  let least = 0;
  return points.map(({ place, value }, index) => {
    const pooled = values[index] ?? value;
    least = Math.max(least, Math.abs(pooled / value - 1) < 1e-9 ? value : pooled);
    return { place, value: least };
  });
}
