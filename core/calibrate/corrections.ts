/**
 * Tables corrected by what was read at some of their points. Between two points that were read, the correction (the
 * ratio of what was read to what the table has) is interpolated on logarithms of size and ratio. Beyond the outermost
 * ones their difference goes on as the table itself does there: it stays where the time is latency, and grows with the
 * size where it is bandwidth; by half of that for each factor of 16, since one reading says little of what lies far from
 * it. So a table keeps the shape that many measurements gave it, and passes through what the runs say.
 */
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
  const own = new Map(read.map(({ place, value }) => [place, value]));
  const places = [...new Set([...points.map(({ place }) => place), ...own.keys()])].sort((a, b) => a - b);
  return places.map((place) => ({ place, value: own.get(place) ?? valueAt(ratios, at, place) }));
}

interface Ratio {
  readonly place: number;
  readonly ratio: number;
}

/** Within this factor of a place, what was read there counts half. */
const reach = 16;
/** A corrected value is at least this part of the table's. */
const leastPart = 0.1;

function valueAt(ratios: readonly Ratio[], at: (place: number) => number, place: number): number {
  const above = ratios.findIndex((one) => one.place >= place);
  const [next, last] = [ratios[above], above < 0 ? ratios.at(-1) : ratios[above - 1]];
  if (next === undefined || last === undefined) return beyond(next ?? last, at, place);
  const part = Math.log(place / last.place) / Math.log(next.place / last.place);
  return at(place) * last.ratio * (next.ratio / last.ratio) ** part;
}

function beyond(end: Ratio | undefined, at: (place: number) => number, place: number): number {
  if (end === undefined) return at(place);
  const side = place > end.place ? 2 : 0.5;
  const slope = Math.log(at(end.place * side) / at(end.place)) / Math.log(side);
  const growth = (place / end.place) ** Math.min(1, Math.max(0, slope));
  const fading = 0.5 ** (Math.abs(Math.log(place / end.place)) / Math.log(reach));
  const difference = (end.ratio - 1) * at(end.place) * growth * fading;
  return Math.max(leastPart * at(place), at(place) + difference);
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
