/** Interval of a gain. Both programs are simulated on the same set of similar machines, so common errors cancel out. */
import { type Around, figuresAround, type Interval, intervalAround } from '../cost/interval.ts';
import type { Surroundings } from '../cost/spread.ts';
import { atOnce } from '../steps.ts';
import type { Prediction } from './predict.ts';

/** Returns a function that gives the interval of a gain, or null if no spread between machines was measured. */
export function gainIntervals(
  before: Prediction,
  machines: Surroundings | null,
): (after: Prediction) => Interval | null {
  if (machines === null) return () => null;
  const makespans = ({ program }: Prediction): Around<number> | null =>
    atOnce(figuresAround(program, machines, ({ makespanNs }): number => makespanNs));
  let first: Around<number> | null = null;
  return (after) => {
    first ??= makespans(before);
    const second = makespans(after);
    if (first === null || second === null) return null;
    const pairs = first.pairs.map(
      ([fast, slow], group) =>
        [fast - (second.pairs[group]?.[0] ?? 0), slow - (second.pairs[group]?.[1] ?? 0)] as const,
    );
    return intervalAround(before.makespanNs - after.makespanNs, { pairs, restPart: machines.restPart });
  };
}
