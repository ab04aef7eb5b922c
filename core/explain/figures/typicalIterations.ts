/**
 * Chooses the iteration that represents a run. Iterations differ: if a copy and a kernel begin within a few
 * microseconds of each other, either may be first, so the iteration with the median makespan may overlap unlike any
 * other. Therefore two distances count, and the larger one decides: of the makespan from the median makespan, relative
 * to that, and of the overlap (copyOverlap) from the median overlap. The run's own spread isn't used as a scale: few
 * iterations hardly determine it, and it is 0 if most of them are alike.
 */

import { lowerMedian } from '../../statistics.ts';
import { iterationOf } from '../../trace/iteration.ts';
import type { Trace } from '../../trace/trace.ts';
import { copyOverlap, overlap } from './overlap.ts';

/** Returns the numbers of the iterations, the most typical first; if equal, the shorter, then the earlier one. */
export function typicalIterations(trace: Trace, makespansNs: readonly number[]): number[] {
  const numbers = [...makespansNs.keys()];
  if (numbers.length < 2) return numbers;
  const overlaps = numbers.map((number) => copyOverlap(overlap(iterationOf(trace, number))));
  const makespanNs = lowerMedian(makespansNs);
  const overlapped = lowerMedian(overlaps.flatMap((one) => one ?? []));
  const apart = numbers.map((number) => {
    const longer = makespanNs > 0 ? (makespansNs[number] ?? 0) / makespanNs - 1 : 0;
    const own = overlaps[number] ?? null;
    // Without copies there is no overlap to compare.
    const more = own === null ? 0 : own - overlapped;
    return Math.max(Math.abs(longer), Math.abs(more));
  });
  const order = (a: number, b: number, of: readonly number[]): number => (of[a] ?? 0) - (of[b] ?? 0);
  return numbers.sort((a, b) => order(a, b, apart) || order(a, b, makespansNs) || a - b);
}
