/** Hazards by operation, for marks on blocks and in lanes. */

import type { Hazard, HazardReport } from '../../../core/explain/hazards/hazard.ts';
import { append } from '../../../core/groupBy.ts';

/** Hazards by the id of each operation involved. */
export type HazardsById = ReadonlyMap<string, readonly Hazard[]>;
/** Hazards by the operation's number in a run. */
export type HazardsByOp = Pick<ReadonlyMap<number, readonly Hazard[]>, 'get' | 'has' | 'size'>;

export const noHazards: HazardsByOp = new Map();
const noneById: HazardsById = new Map();

const byId = new WeakMap<HazardReport, HazardsById>();

/** Computed once for each report: blocks and lanes are marked from it, and the lists can be long. */
export function hazardsById(report: HazardReport | null): HazardsById {
  if (report === null) return noneById;
  const known = byId.get(report);
  if (known !== undefined) return known;
  const found = new Map<string, Hazard[]>();
  for (const hazard of report.hazards) {
    for (const id of new Set([hazard.first.id, hazard.second.id])) append(found, id, hazard);
  }
  byId.set(report, found);
  return found;
}
