import type { Measured } from './measurement.ts';
import type { Comparison } from './plan.ts';
import type { Recorded } from './reading.ts';

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Returns what recording adds to a call: the smallest mean of a series with it, minus the smallest without. */
export function addedNs({ read, bench }: Comparison, recorded: readonly Recorded[], measured: Measured): number {
  const rows = recorded.map(read).filter(({ length }) => length > 0);
  return Math.max(0, Math.min(...rows.map(mean)) - Math.min(...bench.read(measured)));
}
