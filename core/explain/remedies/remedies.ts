/**
 * Tests verdicts: removes the cause that a verdict names from the document, repairs any data order that this breaks,
 * and simulates the changed experiment on the same machine. If another cause shows up then, it is removed too, as long
 * as that helps. The gain is the difference of two simulations, so errors of the simulator that affect both cancel out.
 */

import { applyChange, type Change, joinChanges } from '../../experiment/change.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { groupBy } from '../../groupBy.ts';
import { type Around, figuresAround, intervalAround } from '../../machine/cost/interval.ts';
import type { Machine } from '../../machine/cost/machineOf.ts';
import type { SimilarMachines } from '../../machine/cost/spread.ts';
import { atOnce, type InSteps } from '../../steps.ts';
import type { Interval } from '../../trace/run.ts';
import { Effort, withoutNewHazards } from '../hazards/repair.ts';
import { byWeight } from '../verdicts/groups.ts';
import type { Cause, Verdict } from '../verdicts/verdict.ts';
import { byDocument } from './byDocument.ts';
import { changesFor } from './changes.ts';
import { type Prediction, predict } from './predict.ts';
import { isTested, type Remedy, type RemedyOutlook, type Trial } from './remedy.ts';
import { second } from './situation.ts';

/** Limit of causes that are removed in turn. */
const mostSteps = 3;
/** Limits of tests, because each verdict takes a few simulations. `mostEffort` counts checked operations. */
const mostVerdicts = 12;
const mostEffort = 25_000;
/** Smallest gain, relative to the makespan, that justifies a change. */
const leastGainShare = 0.005;
/** Smallest gain that justifies changing a copy that overlaps already. Predictions can err by this much. */
const leastGainOverlapped = 0.05;

export interface Explanation {
  readonly before: Prediction;
  /** One for each tested verdict. */
  readonly remedies: readonly Remedy[];
}

/** Simulates the experiment and tests its verdicts. Returns null if it can't be simulated or is too long. */
export function explainWithRemedies(experiment: Experiment, machine: Machine): Explanation | null {
  const predicted = predict(experiment, machine);
  if (predicted === null) return null;
  const before = { ...predicted, verdicts: byDocument(predicted.verdicts, experiment) };
  return { before, remedies: atOnce(testedInSteps(before, before.verdicts, machine)) };
}

/**
 * Tests verdicts in steps, for callers that have simulated the experiment on that machine already. A verdict isn't tested if
 * the remedy of an earlier one removes its cause as well.
 */
export function* testedInSteps(before: Prediction, verdicts: readonly Verdict[], machine: Machine): InSteps<Remedy[]> {
  const trying = {
    machine,
    effort: new Effort(mostEffort),
    gainInterval: gainIntervals(before, machine.around),
  };
  const remedies: Remedy[] = [];
  const isRemoved = ({ op, cause }: Verdict): boolean =>
    remedies.some((one) => one.cause === cause && one.alsoRemoves.includes(op));
  let tested = 0;
  for (const verdict of mostAlikeFirst(verdicts.filter(isTested))) {
    if (isRemoved(verdict)) continue;
    if (tested === mostVerdicts) break;
    tested += 1;
    const remedy = yield* test(before, verdict, trying);
    if (remedy !== null) remedies.push(remedy);
  }
  return remedies;
}

/** Within each cause puts verdicts first that cost most together with those of the same title. */
function mostAlikeFirst(verdicts: readonly Verdict[]): Verdict[] {
  const sums = new Map<string, number>();
  for (const { title, costNs } of verdicts) sums.set(title, (sums.get(title) ?? 0) + costNs);
  const sumOf = ({ title }: Verdict): number => sums.get(title) ?? 0;
  const ofCause = groupBy(verdicts, ({ cause }) => cause);
  for (const own of ofCause.values()) own.sort((a, b) => sumOf(b) - sumOf(a)).reverse();
  return verdicts.flatMap(({ cause }) => ofCause.get(cause)?.pop() ?? []);
}

/**
 * Returns the verdicts with what removing their cause gains as their cost, as far as that was tested: those of one rank by cost.
 * Others cost at most `mostNs`, which is what changes can save.
 */
export function costed(verdicts: readonly Verdict[], remedies: readonly Remedy[], mostNs: number): Verdict[] {
  const keyOf = (op: number, cause: Cause): string => `${op} ${cause}`;
  const tested = new Map<string, Remedy>();
  const counted = countedElsewhere(remedies, verdicts);
  for (const remedy of remedies) {
    if (remedy.isConfirmed !== null) tested.set(keyOf(remedy.op, remedy.cause), remedy);
  }
  const removing = new Map<string, Remedy>();
  for (const remedy of remedies) for (const op of remedy.alsoRemoves) removing.set(keyOf(op, remedy.cause), remedy);
  const own = verdicts.map((verdict) => {
    const key = keyOf(verdict.op, verdict.cause);
    const [remedy, other] = [tested.get(key), removing.get(key)];
    const known = remedy ?? other;
    const costNs = known === undefined ? Math.min(mostNs, verdict.costNs) : Math.max(0, known.gainNs);
    const elsewhere = known === undefined ? undefined : counted.get(known);
    return { ...verdict, costNs, sameGainAs: elsewhere ?? (remedy === undefined ? (other?.op ?? null) : null) };
  });
  const most = new Map(remedies.map(({ op, gainNs }) => [op, gainNs]));
  const countedNs = ({ costNs, sameGainAs }: Verdict): number =>
    sameGainAs === null ? costNs : Math.min(costNs, most.get(sameGainAs) ?? costNs);
  const isElsewhere = ({ sameGainAs }: Verdict): number => Number(sameGainAs !== null);
  const asCounted = (verdict: Verdict): Verdict => ({ ...verdict, costNs: countedNs(verdict) });
  return own.sort((a, b) => byWeight(asCounted(a), asCounted(b)) || isElsewhere(a) - isElsewhere(b));
}

/** Verdicts that say when something was issued. If a change removes another cause as well, the gain counts there. */
const ofTiming: ReadonlySet<Cause> = new Set(['issued-too-late', 'same-stream', 'queued-behind']);
/** Part of a gain at which fewer changes count in place of more. */
const mostOfGain = 0.8;

interface Counted {
  readonly lead: Remedy;
  readonly patches: ReadonlySet<string>;
  readonly others: readonly Remedy[];
}

/** Returns the operation that counts the gain already, for each remedy that has the gain of another one. */
function countedElsewhere(remedies: readonly Remedy[], verdicts: readonly Verdict[]): ReadonlyMap<Remedy, number> {
  const confirmed = remedies.filter(({ isConfirmed, patches }) => isConfirmed === true && patches.length > 0);
  const needed = new Set(verdicts.flatMap(({ op, needsData }) => (needsData === true ? [op] : [])));
  /** Memory counts first: other copies and kernels are late because of it. */
  const place = ({ op, cause }: Remedy): number =>
    cause.startsWith('pageable') ? 0 : ofTiming.has(cause) || (cause === 'event-dependency' && needed.has(op)) ? 2 : 1;
  const counted: Counted[] = [];
  for (const remedy of confirmed.sort((a, b) => b.gainNs - a.gainNs || place(a) - place(b))) {
    const patches = new Set(remedy.patches.map((patch) => JSON.stringify(patch)));
    const at = counted.findIndex((one) => isPartOf(patches, one.patches) || areAlternatives(remedy, one.lead));
    const before = counted[at];
    if (before === undefined) counted.push({ lead: remedy, patches, others: [] });
    else {
      const leads =
        patches.size < before.patches.size &&
        place(remedy) < place(before.lead) &&
        remedy.gainNs >= mostOfGain * before.lead.gainNs;
      counted[at] = leads
        ? { lead: remedy, patches, others: [...before.others, before.lead] }
        : { ...before, others: [...before.others, remedy] };
    }
  }
  return new Map(counted.flatMap(({ lead, others }) => others.map((one) => [one, lead.op] as const)));
}

function isPartOf(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const [few, many] = one.size < other.size ? [one, other] : [other, one];
  return [...few].every((patch) => many.has(patch));
}

/** Returns whether each removes the other's cause, as if either of two copies leaves the stream of both. */
const areAlternatives = (one: Remedy, other: Remedy): boolean =>
  one.cause === other.cause && one.alsoRemoves.includes(other.op) && other.alsoRemoves.includes(one.op);

interface Trying {
  readonly machine: Machine;
  readonly effort: Effort;
  readonly gainInterval: (after: Prediction) => Interval | null;
}

interface Attempt {
  readonly change: Change;
  readonly prediction: Prediction;
  readonly causes: readonly Cause[];
  /** Number of the copy in the changed experiment. */
  readonly op: number;
}

/** Tests one verdict. Returns null if the effort ran out first, or if a copy overlaps and gains little. */
function* test(before: Prediction, verdict: Verdict, trying: Trying): InSteps<Remedy | null> {
  const start: Attempt = { change: { steps: [], patches: [] }, prediction: before, causes: [], op: verdict.op };
  const trials: Trial[] = [];
  let best: Attempt | null = null;
  let current: Attempt | null = start;
  for (let step = 0; step < mostSteps && current !== null; step += 1) {
    const shown: Verdict | null = step === 0 ? verdict : verdictOf(current);
    const next: Attempt | null = shown === null || !isTested(shown) ? null : yield* takeAway(current, shown, trying);
    if (next !== null && shown !== null) trials.push(trialOf(current, next, shown.cause));
    // One more change must gain something, not only overlap.
    if (next !== null && (best === null ? isBetter(next, start) : gains(next, best))) best = next;
    current = next;
  }
  if (best === null && trying.effort.isOver) return null;
  const gainInterval = best === null ? null : trying.gainInterval(best.prediction);
  const remedy = { ...describe(start, best, verdict, trials), gainInterval };
  return verdict.cause === 'overlapped' && remedy.gainShare < leastGainOverlapped ? null : remedy;
}

function trialOf({ change }: Attempt, next: Attempt, cause: Cause): Trial {
  const steps = next.change.steps.slice(change.steps.length);
  return { cause, steps, after: outlook(next), title: verdictOf(next)?.title ?? null };
}

/** Removes one more cause by the first change that helps, or else the first one; null if none keeps the data right. */
function* takeAway(from: Attempt, verdict: Verdict, { machine, effort }: Trying): InSteps<Attempt | null> {
  const { experiment, program } = from.prediction;
  let first: Attempt | null = null;
  for (const proposed of changesFor({ experiment, program, verdict })) {
    yield;
    const change = withoutNewHazards(experiment, proposed, effort);
    const prediction = change === null ? null : predict(applyChange(experiment, change), machine);
    effort.spend(program.operations.length);
    if (change === null || prediction === null) continue;
    // An operation that the change removed has no verdict that could remain.
    const op = movedOperation(from, prediction) ?? -1;
    const causes = [...from.causes, verdict.cause];
    const attempt: Attempt = { change: joinChanges(from.change, change), prediction, causes, op };
    if (isBetter(attempt, from)) return attempt;
    const isRepaired = change.patches.length > proposed.patches.length;
    if (!isRepaired || !isUndone(attempt, from)) first ??= attempt;
  }
  return first;
}

/** Returns whether the repair restored the removed order or wait, so that the copy waits as before. */
function isUndone(attempt: Attempt, from: Attempt): boolean {
  const [before, after] = [verdictOf(from), verdictOf(attempt)];
  if (before === null || after === null || before.cause !== after.cause) return false;
  switch (after.cause) {
    case 'queued-behind':
      // Only if the copy is the one that waits.
      if (second({ ...from.prediction, verdict: before }) !== before.op) return false;
      return labelOf(attempt, after.blockedBy) === labelOf(from, before.blockedBy);
    case 'event-dependency':
      return attempt.prediction.makespanNs === from.prediction.makespanNs;
    case 'issued-too-late':
      return !from.prediction.program.operations.some(({ label }) => label === labelOf(attempt, after.blockedBy));
    default:
      return false;
  }
}

const labelOf = ({ prediction }: Attempt, op: number | null): string | null =>
  op === null ? null : (prediction.program.operations[op]?.label ?? null);

/** Returns the copy's number after a change, or null if it is gone. */
function movedOperation({ prediction, op }: Attempt, after: Prediction): number | null {
  const id = prediction.program.operations[op]?.id;
  return after.program.operations.find((info) => info.id === id)?.op ?? null;
}

const verdictOf = ({ prediction, op }: Attempt): Verdict | null =>
  prediction.verdicts.find((verdict) => verdict.op === op) ?? null;

const gains = (one: Attempt, other: Attempt): boolean =>
  other.prediction.makespanNs - one.prediction.makespanNs > leastGainShare * other.prediction.makespanNs;

/** Returns whether the attempt overlaps and the other doesn't, or has the shorter makespan. */
function isBetter(one: Attempt, other: Attempt): boolean {
  const [overlaps, otherOverlaps] = [one, other].map((attempt) => verdictOf(attempt)?.cause === 'overlapped');
  const gain = other.prediction.makespanNs - one.prediction.makespanNs;
  if (overlaps && !otherOverlaps) return gain > -leastGainShare * other.prediction.makespanNs;
  return gains(one, other);
}

function describe(
  start: Attempt,
  best: Attempt | null,
  verdict: Verdict,
  trials: readonly Trial[],
): Omit<Remedy, 'gainInterval'> {
  const gainNs = best === null ? 0 : start.prediction.makespanNs - best.prediction.makespanNs;
  return {
    op: verdict.op,
    cause: verdict.cause,
    causes: best?.causes ?? [],
    steps: best?.change.steps ?? [],
    patches: best?.change.patches ?? [],
    alsoRemoves: best === null ? [] : removedBy(start, best, verdict),
    before: outlook(start),
    after: best === null ? null : outlook(best),
    gainNs,
    gainShare: start.prediction.makespanNs > 0 ? gainNs / start.prediction.makespanNs : 0,
    isConfirmed: best !== null ? true : trials.length > 0 ? false : null,
    tried: best === null ? trials : [],
  };
}

/** Returns the other operations that had this cause and have it no more. */
function removedBy(start: Attempt, best: Attempt, { op: own, cause }: Verdict): number[] {
  const left = new Set(best.prediction.verdicts.filter((one) => one.cause === cause).map(({ id }) => id));
  return start.prediction.verdicts.flatMap(({ op, id, cause: had }) =>
    op < 0 || op === own || had !== cause || left.has(id) ? [] : [op],
  );
}

function outlook(attempt: Attempt): RemedyOutlook {
  const verdict = verdictOf(attempt);
  return {
    makespanNs: attempt.prediction.makespanNs,
    share: verdict?.share ?? 0,
    cause: verdict?.cause ?? null,
  };
}

/** Returns a function that gives the interval of a gain, or null if no spread between machines was measured. */
export function gainIntervals(
  before: Prediction,
  machines: SimilarMachines | null,
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
    return intervalAround(before.makespanNs - after.makespanNs, { pairs, residualShare: machines.residualShare });
  };
}
