/**
 * Values that never fall, since a larger copy takes no less time: neighbours in the wrong order get their geometric
 * mean (isotonic regression by pooling adjacent violators), so that one slow reading doesn't lift all that are larger.
 */
import type { Point } from '../profile/schema.ts';

export function ascending(points: readonly Point[]): Point[] {
  const pools: { log: number; count: number }[] = [];
  for (const [, value] of points) {
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
  return points.map(([place, value], index) => {
    const pooled = values[index] ?? value;
    least = Math.max(least, Math.abs(pooled / value - 1) < 1e-9 ? value : pooled);
    return [place, least];
  });
}
