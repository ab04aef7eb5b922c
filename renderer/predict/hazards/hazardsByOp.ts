/** Hazards by operation, for marks on blocks and in lanes. */

import type { Hazard, HazardReport } from '../../../core/explain/hazards/hazard.ts';
import { append } from '../../../core/groupBy.ts';
import { rememberedBy } from '../../../core/rememberedBy.ts';

/** Hazards by the id of each operation involved. */
export type HazardsById = ReadonlyMap<string, readonly Hazard[]>;
/** Hazards by the operation's number in a run. */
export type HazardsByOp = Pick<ReadonlyMap<number, readonly Hazard[]>, 'get' | 'has' | 'size'>;

export const noHazards: HazardsByOp = new Map();
const noneById: HazardsById = new Map();

/** Blocks and lanes are marked from it. */
export const hazardsById = (report: HazardReport | null): HazardsById =>
  report === null ? noneById : ofReport(report);

const ofReport = rememberedBy((report: HazardReport): HazardsById => {
  const found = new Map<string, Hazard[]>();
  for (const hazard of report.hazards) {
    for (const id of new Set([hazard.first.id, hazard.second.id])) append(found, id, hazard);
  }
  return found;
});
