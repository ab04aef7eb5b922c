/** Which hazards an operation has part in: for marks on blocks and in lanes. */

import { renumbering } from '../../../core/experiment/edit/renumbering.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { append } from '../../../core/groupBy.ts';
import type { Hazard, HazardReport } from '../../../core/hazards/hazard.ts';

/** The hazards that an operation has part in, by its number. */
export type HazardsByOp = Pick<ReadonlyMap<number, readonly Hazard[]>, 'has' | 'get' | 'size'>;

export const noHazards: HazardsByOp = new Map();

const byOp = new WeakMap<HazardReport, HazardsByOp>();

/** Made once for each report: blocks and lanes are marked from it, and the lists can be long. */
export function hazardsByOp(report: HazardReport): HazardsByOp {
  const found = byOp.get(report) ?? indexed(report.hazards);
  byOp.set(report, found);
  return found;
}

function indexed(hazards: readonly Hazard[]): HazardsByOp {
  const found = new Map<number, Hazard[]>();
  for (const hazard of hazards) {
    const [first, second] = [hazard.first.op, hazard.second.op];
    append(found, first, hazard);
    if (second !== first) append(found, second, hazard);
  }
  return found;
}

/**
 * Those of keptHazards() for whoever only marks them: with the numbers of before, and looked up when they are asked for.
 * An edit may leave thousands with nothing but other numbers.
 */
export function keptMarks(marks: HazardsByOp, before: Experiment, after: Experiment): HazardsByOp {
  const numbers = renumbering(before, after);
  if (numbers.isNone) return marks;
  const isLeft = ({ first, second }: Hazard): boolean =>
    numbers.numberAfter(first.op) !== null && numbers.numberAfter(second.op) !== null;
  const get = (op: number): readonly Hazard[] | undefined => {
    const old = numbers.numberBefore(op);
    const left = old === null ? undefined : marks.get(old)?.filter(isLeft);
    return left?.length === 0 ? undefined : left;
  };
  const has = (op: number): boolean => {
    const old = numbers.numberBefore(op);
    return old !== null && marks.get(old)?.some(isLeft) === true;
  };
  return { get, has, size: marks.size };
}
