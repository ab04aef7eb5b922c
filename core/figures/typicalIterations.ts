/**
 * Which iteration stands for a run. Iterations of one run differ: where a copy and a kernel begin within a few microseconds
 * of each other either may be first, so that the iteration of the median makespan may overlap as no other does. So both
 * count: an iteration is the further from typical, the further its makespan is from the median makespan, as a part of
 * that, or its overlap (copyOverlap) from the median overlap, whichever is more. No scale is taken from the run itself: of
 * a few iterations its spread is hardly known, and is nothing where most of them are alike.
 */

import { lowerMedian } from '../statistics.ts';
import { iterationOf } from '../trace/iteration.ts';
import type { Trace } from '../trace/trace.ts';
import { copyOverlap, overlap } from './overlap.ts';

/** Numbers of the iterations, the most typical one first; of equals the shorter, then the earlier one. */
export function typicalIterations(trace: Trace, makespansNs: readonly number[]): number[] {
  const numbers = [...makespansNs.keys()];
  if (numbers.length < 2) return numbers;
  const overlaps = numbers.map((number) => copyOverlap(overlap(iterationOf(trace, number))));
  const makespanNs = lowerMedian(makespansNs);
  const overlapped = lowerMedian(overlaps.flatMap((one) => one ?? []));
  const apart = numbers.map((number) => {
    const longer = makespanNs > 0 ? (makespansNs[number] ?? 0) / makespanNs - 1 : 0;
    const own = overlaps[number] ?? null;
    // Without copies there is nothing to be apart in.
    const more = own === null ? 0 : own - overlapped;
    return Math.max(Math.abs(longer), Math.abs(more));
  });
  const order = (a: number, b: number, of: readonly number[]): number => (of[a] ?? 0) - (of[b] ?? 0);
  return numbers.sort((a, b) => order(a, b, apart) || order(a, b, makespansNs) || a - b);
}
