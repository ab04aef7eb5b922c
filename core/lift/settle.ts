/**
 * Compares two traces of one program, before and after a change: which entry of the first plan was made, its
 * prediction, and its actual gain. Each set of changes is applied to the first program. The set whose step is most like
 * the second program's step is the one that was made.
 */
import type { CostModel } from '../machine/costModel.ts';
import { median } from '../statistics.ts';
import type { Run } from '../trace/run.ts';
import { formatShare } from '../units.ts';
import { plannerOf } from './answers.ts';
import { isScalar } from './changes/memory.ts';
import type { ChangeWord } from './changes/words.ts';
import { type Lifted, liftTrace } from './fromTrace.ts';
import { type PartTime, type StepPart, stepParts } from './parts.ts';
import type { Planner } from './plan.ts';
import { copiesOf, type Item, isPageable, type Script } from './script.ts';

/** A prediction of the first plan and the second trace's result. Shares are of the first unprofiled step. */
export interface Settled {
  readonly changes: readonly ChangeWord[];
  readonly predictedShare: number;
  /** 90 % interval of the prediction. */
  readonly lowShare: number;
  readonly highShare: number;
  /** 1 - step after / step before, both without a profiler. Negative if the step got longer. */
  readonly measuredShare: number;
  /** Whether the interval contains the measured gain. */
  readonly holds: boolean;
}

/** Time of a part of a typical step in both traces, in nanoseconds. */
export interface PartDifference {
  readonly part: StepPart;
  readonly aNs: number;
  readonly bNs: number;
  /** Largest contributions in either trace, at most three. */
  readonly names: readonly { readonly name: string; readonly aNs: number; readonly bNs: number }[];
}

export interface StepsCompared {
  /** Largest difference first, without parts that neither has. */
  readonly parts: readonly PartDifference[];
  /** Null if no entry of the plan turns the first program into the second. */
  readonly settled: Settled | null;
}

/** Throws `lift.*` if one of the traces lacks what a replay needs. */
export function compareSteps(a: Run, b: Run, costs: CostModel): StepsCompared {
  const [before, after] = [liftOf(a), liftOf(b)];
  const [planner, later] = [plannerOf(before, a.info, costs), plannerOf(after, b.info, costs)];
  return { parts: partDifferences(before.parts, after.parts), settled: settle(planner, later) };
}

/** Describes what was made, predicted and measured, in three sentences. */
export function settledWords({ changes, predictedShare, lowShare, highShare, measuredShare, holds }: Settled): string {
  const predicted = `${formatShare(predictedShare)} (${formatShare(lowShare)} to ${formatShare(highShare)})`;
  const end = holds ? 'the interval contains it' : 'the interval does not contain it';
  return `Made between A and B: ${changes.join(', ')}. Predicted gain on the step: ${predicted}. Measured: ${formatShare(measuredShare)}; ${end}.`;
}

const liftOf = (run: Run): Lifted =>
  liftTrace(run.trace, run.info.imported?.name ?? 'trace', { error: run.info.error });

const mostNames = 3;

export function partDifferences(a: readonly PartTime[], b: readonly PartTime[]): PartDifference[] {
  const found = stepParts.map((part): PartDifference => {
    const [one, other] = [a, b].map((parts) => parts.find((time) => time.part === part));
    const names = [...new Set([...(one?.names ?? []), ...(other?.names ?? [])].map(({ name }) => name))].map(
      (name) => ({
        name,
        aNs: nsOf(one, name),
        bNs: nsOf(other, name),
      }),
    );
    names.sort((x, y) => Math.abs(y.bNs - y.aNs) - Math.abs(x.bNs - x.aNs));
    return { part, aNs: one?.ns ?? 0, bNs: other?.ns ?? 0, names: names.slice(0, mostNames) };
  });
  return found
    .filter(({ aNs, bNs }) => aNs > 0 || bNs > 0)
    .sort((x, y) => Math.abs(y.bNs - y.aNs) - Math.abs(x.bNs - x.aNs));
}

const nsOf = (part: PartTime | undefined, name: string): number =>
  part?.names.find((one) => one.name === name)?.ns ?? 0;

function settle(planner: Planner, later: Planner): Settled | null {
  const changes = madeChanges(planner, later.changed([]));
  if (changes === null) return null;
  const { gainShare, lowShare, highShare } = planner.tried(changes);
  const measuredShare = 1 - later.unprofiledNs / planner.unprofiledNs;
  return {
    changes,
    predictedShare: gainShare,
    lowShare,
    highShare,
    measuredShare,
    holds: measuredShare >= lowShare && measuredShare <= highShare,
  };
}

/** Smallest difference that a set of changes must explain, beyond a program's variation between runs. */
const leastExplained = 0.4;

function madeChanges(planner: Planner, after: Script): readonly ChangeWord[] | null {
  const [was, is] = [featuresOf(planner.changed([])), featuresOf(after)];
  let best: { readonly changes: readonly ChangeWord[]; readonly distance: number } | null = null;
  const unchanged = distance(was, is);
  for (const changes of planner.offered()) {
    // Penalty for each further change.
    const own = distance(featuresOf(planner.changed(changes)), is) + 0.02 * changes.length;
    if (best === null || own < best.distance) best = { changes, distance: own };
  }
  return best !== null && best.distance < unchanged - leastExplained ? best.changes : null;
}

type Feature =
  | 'pageableBytes'
  | 'pinnedBytes'
  | 'copies'
  | 'backBytes'
  | 'waitsOfCopies'
  | 'waits'
  | 'sideBytes'
  | 'aheadBytes'
  | 'launches'
  | 'graphNodes'
  | 'allocationNs'
  | 'loadingNs'
  | 'operatorsNs'
  | 'ownNs';

/** Counts, bytes and times of a typical step. */
type Features = Readonly<Record<Feature, number>>;

function featuresOf({ steps }: Script): Features {
  const all = steps.map(({ items }) => stepFeatures(items));
  const typical = {} as Record<Feature, number>;
  for (const name of Object.keys(all[0] ?? noFeatures) as Feature[])
    typical[name] = median(all.map((one) => one[name]));
  return typical;
}

const noFeatures: Features = {
  pageableBytes: 0,
  pinnedBytes: 0,
  copies: 0,
  backBytes: 0,
  waitsOfCopies: 0,
  waits: 0,
  sideBytes: 0,
  aheadBytes: 0,
  launches: 0,
  graphNodes: 0,
  allocationNs: 0,
  loadingNs: 0,
  operatorsNs: 0,
  ownNs: 0,
};

function stepFeatures(items: readonly Item[]): Features {
  const found = { ...noFeatures } as Record<Feature, number>;
  const kernels = new Set(
    items.flatMap((item) => (item.kind === 'launch' || item.kind === 'graph' ? [item.stream] : [])),
  );
  const scalars = new Set(copiesOf(items).flatMap((copy) => (isScalar(copy) ? [copy.id] : [])));
  /** Copied bytes that the kernels' streams haven't waited for yet. */
  let unwaited = 0;
  const pass = (): void => {
    found.aheadBytes += unwaited;
    unwaited = 0;
  };
  for (const item of items) {
    if (item.kind === 'launch') {
      found.launches += 1;
      if (item.nodes > 1) found.graphNodes += item.nodes;
      pass();
    } else if (item.kind === 'graph') {
      found.launches += 1;
      found.graphNodes += item.launches.length;
      pass();
    } else if (item.kind === 'copy' && !isScalar(item)) {
      found.copies += 1;
      found[isPageable(item) ? 'pageableBytes' : 'pinnedBytes'] += item.bytes;
      if (item.direction === 'd2h') found.backBytes += item.bytes;
      if (kernels.has(item.stream)) continue;
      found.sideBytes += item.bytes;
      if (item.direction === 'h2d') unwaited += item.bytes;
    } else if (item.kind === 'wait') {
      if (kernels.has(item.stream)) unwaited = 0;
    } else if (item.kind === 'sync') {
      if (item.frees !== true) found[item.copy >= 0 && !scalars.has(item.copy) ? 'waitsOfCopies' : 'waits'] += 1;
    } else if (item.kind === 'work') {
      if (item.part === 'allocation') found.allocationNs += item.ns;
      else if (item.part === 'loading-data') found.loadingNs += item.ns;
      else if (item.part === 'host-operators') found.operatorsNs += item.ns;
      else if (item.isOwn) found.ownNs += item.ns;
    }
  }
  pass();
  return found;
}

/** Smaller values of a feature are ignored. */
const least: Features = {
  ...noFeatures,
  pageableBytes: 4096,
  pinnedBytes: 4096,
  backBytes: 4096,
  sideBytes: 4096,
  aheadBytes: 4096,
  copies: 1,
  waitsOfCopies: 1,
  waits: 1,
  launches: 1,
  graphNodes: 2,
  allocationNs: 50_000,
  loadingNs: 100_000,
  operatorsNs: 100_000,
  ownNs: 100_000,
};

/** Sums the distances of the features, each from 0 (equal) to 1 (one has none of it). */
function distance(a: Features, b: Features): number {
  let sum = 0;
  for (const name of Object.keys(noFeatures) as Feature[]) {
    const most = Math.max(a[name], b[name]);
    if (most >= least[name]) sum += Math.abs(a[name] - b[name]) / most;
  }
  return sum;
}
