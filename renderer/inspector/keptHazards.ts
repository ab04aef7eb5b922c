/** Hazards from one moment of a document to the next: what stays is neither drawn anew nor gone for a moment. */
import { shallow } from 'zustand/shallow';
import type { Hazard, HazardOperation, HazardReport } from '../../core/analysis/hazards/hazard.ts';
import { changedPart } from '../../core/experiment/edit/changedPart.ts';
import { type Experiment, eachOperation } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';

/**
 * What was found in a document, for the same document after an edit, until that has been looked through: hazards of the
 * operations that are still there, by their new numbers. What a run gave as evidence was of the document before.
 */
export function keptHazards(report: HazardReport, before: Experiment, after: Experiment): HazardReport {
  const numbers = newNumbers(before, after);
  if (numbers === null) return withoutEvidence(report);
  const { numberAfter } = numbers;
  const hazards: Hazard[] = [];
  for (const hazard of report.hazards) {
    const kept = keptHazard(hazard, numberAfter);
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

const lists = new WeakMap<Experiment, readonly Operation[]>();

/** All operations, by number. */
function listOf(experiment: Experiment): readonly Operation[] {
  const known = lists.get(experiment);
  if (known !== undefined) return known;
  const list: Operation[] = [];
  for (const { operations } of experiment.threads) eachOperation(operations, (operation) => list.push(operation));
  lists.set(experiment, list);
  return list;
}

/** Whether at most one operation is another one, of the same kind and in the same place: so is most of what one does. */
function isOneChanged({ threads: before }: Experiment, { threads: after }: Experiment): boolean {
  if (before.length !== after.length) return false;
  let changes = 0;
  for (const [thread, { operations }] of before.entries()) {
    const others = after[thread]?.operations ?? [];
    if (others.length !== operations.length) return false;
    for (let index = 0; index < operations.length; index += 1) {
      const [old, now] = [operations[index], others[index]];
      if (old === now) continue;
      changes += 1;
      if (changes > 1 || old?.op !== now?.op || (old !== undefined && 'operations' in old)) return false;
    }
  }
  return true;
}

/** From the numbers of a document's operations to those after an edit; null where all have the same. */
export const newNumbers = (before: Experiment, after: Experiment): Numbers | null =>
  isOneChanged(before, after) ? null : numbersOf(listOf(before), listOf(after));

interface Numbers {
  /** The number that an operation has after an edit; null where it is gone. */
  readonly numberAfter: (op: number) => number | null;
  /** The number that it had before; null where it is new. */
  readonly numberBefore: (op: number) => number | null;
}

/**
 * Edits share what they leave as it is, so that all but the operations from the first to the last change are the very
 * same objects in a row. Among those, where as many are left, one that is nowhere any more is the one in its place, changed.
 */
function numbersOf(before: readonly Operation[], after: readonly Operation[]): Numbers {
  const { start, endBefore, endAfter } = changedPart(before, after);
  const shift = after.length - before.length;
  const isAlike = (op: number): boolean => shift === 0 && before[op]?.op === after[op]?.op;
  const places = placesOf(after, start, endAfter);
  const placesBefore = placesOf(before, start, endBefore);
  const numberAfter = (op: number): number | null => {
    if (op < start) return op;
    if (op >= endBefore) return op + shift;
    return places.get(before[op]) ?? (isAlike(op) ? op : null);
  };
  const numberBefore = (op: number): number | null => {
    if (op < start) return op;
    if (op >= endAfter) return op - shift;
    const old = placesBefore.get(after[op]) ?? op;
    return numberAfter(old) === op ? old : null;
  };
  return { numberAfter, numberBefore };
}

const placesOf = (list: readonly Operation[], start: number, end: number): Map<Operation | undefined, number> =>
  new Map(list.slice(start, end).map((one, at) => [one, start + at]));

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
