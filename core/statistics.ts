export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
  readonly count: number;
}

/** Returns median (mean of the middle two if the count is even), minimum, maximum and count; null for an empty list. */
export function spread(values: readonly number[]): Spread | null {
  const sorted = Float64Array.from(values).sort();
  const count = sorted.length;
  if (count === 0) return null;
  return { median: middleOf(sorted), min: sorted[0] ?? 0, max: sorted[count - 1] ?? 0, count };
}

/** Returns the median of values in ascending order; NaN for an empty list. */
export function middleOf(sorted: Float64Array): number {
  const at = (index: number): number => sorted[Math.floor(index)] ?? Number.NaN;
  return (at((sorted.length - 1) / 2) + at(sorted.length / 2)) / 2;
}

/** Returns the median; NaN for an empty list. */
export const median = (values: readonly number[]): number => spread(values)?.median ?? Number.NaN;

/**
 * Returns the median, or the lower of the middle two if the count is even; NaN for an empty list. The result is always
 * one of `values`. Picking the value nearest to the mean instead would depend on rounding.
 */
export function lowerMedian(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[(sorted.length - 1) >> 1] ?? Number.NaN;
}
