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
  if (count === 0) return null;
  return { median: middleOf(sorted), min: sorted[0] ?? 0, max: sorted[count - 1] ?? 0, count };
}

/** The median of values that are in ascending order already; NaN for none. */
export function middleOf(sorted: Float64Array): number {
  const at = (index: number): number => sorted[Math.floor(index)] ?? Number.NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

/** The median alone; NaN for none. */
export const median = (values: readonly number[]): number => spread(values)?.median ?? Number.NaN;

/**
 * The lower one of the middle two for an even count; NaN for none. It is one of `values`: of two that are as far from their
 * mean, no more than rounding would tell which is nearer.
 */
export function lowerMedian(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
