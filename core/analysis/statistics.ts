/** Medians and spreads of repeated times. */

export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Median (the mean of the middle two for an even count), least, greatest and number of `values`; null for none. */
export function spread(values: readonly number[]): Spread | null {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  const at = (index: number): number => sorted[index] ?? 0;
  if (count === 0) return null;
  const median = (at(Math.floor((count - 1) / 2)) + at(Math.floor(count / 2))) / 2;
  return { median, min: at(0), max: at(count - 1), count };
}

/** The median alone; NaN for none. */
export const median = (values: readonly number[]): number => spread(values)?.median ?? Number.NaN;
