/** Hazards from one moment of a document to the next: what stays is neither drawn anew nor gone for a moment. */
import { shallow } from 'zustand/shallow';
import { renumbering } from '../../../core/experiment/edit/renumbering.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import type { Hazard, HazardOperation, HazardReport } from '../../../core/hazards/hazard.ts';

/**
 * What was found in a document, for the same document after an edit, until that has been looked through: hazards of the
 * operations that are still there, by their new numbers. What a run gave as evidence was of the document before.
 */
export function keptHazards(report: HazardReport, before: Experiment, after: Experiment): HazardReport {
  const numbers = renumbering(before, after);
  if (numbers.isNone) return withoutEvidence(report);
  const hazards: Hazard[] = [];
  for (const hazard of report.hazards) {
    const kept = keptHazard(hazard, (op) => numbers.numberAfter(op));
    if (kept !== null) hazards.push(kept);
  }
  return { ...report, hazards };
}

const bare = new WeakMap<HazardReport, HazardReport>();

/** Made once for each report: with every edit, looking through thousands would show. */
function withoutEvidence(report: HazardReport): HazardReport {
  const known = bare.get(report);
  if (known !== undefined) return known;
  const isTold = report.hazards.some(({ evidence }) => evidence !== null);
  const hazards = (): Hazard[] => report.hazards.map((hazard) => ({ ...hazard, evidence: null }));
  const made = isTold ? { ...report, hazards: hazards() } : report;
  bare.set(report, made);
  return made;
}

function keptHazard(hazard: Hazard, numberAfter: (op: number) => number | null): Hazard | null {
  const first = moved(hazard.first, numberAfter(hazard.first.op));
  const second = moved(hazard.second, numberAfter(hazard.second.op));
  if (first === null || second === null) return null;
  if (first === hazard.first && second === hazard.second && hazard.evidence === null) return hazard;
  return { ...hazard, first, second, evidence: null };
}

function moved(side: HazardOperation, op: number | null): HazardOperation | null {
  if (op === null) return null;
  return op === side.op ? side : { ...side, op };
}

/** The new report, with those hazards of the old one that say the same; the old one itself where all do. */
export function steadyReport(old: HazardReport, now: HazardReport): HazardReport {
  const hazards = now.hazards.map((hazard, at) => {
    const before = old.hazards[at];
    return before !== undefined && saysTheSame(before, hazard) ? before : hazard;
  });
  const isSame = shallow(hazards, old.hazards) && shallow(now.limits, old.limits);
  return isSame ? old : { ...now, hazards };
}

const words = ['kind', 'rule', 'buffer', 'fromByte', 'toByte', 'title', 'explanation', 'missing', 'remedy'] as const;
const places = ['op', 'path', 'label', 'thread', 'stream'] as const;

/** There may be thousands: nothing is made to compare them. */
function saysTheSame(a: Hazard, b: Hazard): boolean {
  return (
    words.every((field) => a[field] === b[field]) &&
    places.every((field) => a.first[field] === b.first[field] && a.second[field] === b.second[field]) &&
    isAlike(a.change, b.change) &&
    isAlike(a.evidence, b.evidence)
  );
}

const isAlike = (a: object | null, b: object | null): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);
