/** Compares the ranks of a job: their steps, how long each waited for the others, and for which rank. */
import { CopyscopeError } from '../errors.ts';
import { lowerMedian } from '../statistics.ts';
import { rankNumbers, ranksIn, rankTrace } from '../trace/ranks.ts';
import { type Run, runName } from '../trace/run.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import { alignClocks, type Collectives, collectivesOf, waitsOf } from './collectives.ts';
import { type Lifted, type LiftOptions, liftTrace } from './fromTrace.ts';
import type { PartTime, StepPart } from './parts.ts';

export interface RankAnswer {
  readonly rank: number;
  readonly name: string;
  /** Null if its trace has no steps that can be lifted. */
  readonly stepNs: number | null;
  readonly parts: readonly PartTime[];
  readonly exposedCopyNs: number;
  /** Collectives of a step without the wait. */
  readonly communicationNs: number;
  /** For the last rank; null if no other rank has the same collectives. */
  readonly waitNs: number | null;
  /** Share of all waits that were for this rank. */
  readonly awaitedShare: number;
}

export interface RanksAnswer {
  readonly ranks: readonly RankAnswer[];
  /** The rank that others wait for most, or the one with the longest step if none waits. */
  readonly slowest: number;
}

/** Kernels that take longer on the slowest rank, so that the others wait for it. */
export interface UnevenWork {
  readonly slowest: number;
  readonly kernelsNs: number;
  /** Mean time of kernels in a step of the other ranks. */
  readonly othersNs: number;
  /** Step time if each rank did the same work. */
  readonly evenStepNs: number;
}

/** The trace of the slowest rank, for which the plan is made. */
export interface SlowestRank extends RanksAnswer {
  readonly lifted: Lifted;
  readonly uneven: UnevenWork | null;
}

/**
 * Returns null for a run of one rank. Calls `onRank` with the index before each rank is read. Throws `lift.*` if the
 * trace of the slowest rank lacks what a replay needs.
 */
export function ranksAnswer(
  run: Run,
  options: LiftOptions = {},
  onRank?: (place: number, of: number) => void,
): SlowestRank | null {
  const names = ranksIn(run.trace);
  if (names.length === 0) return null;
  const collectives = names.map((name) => collectivesOf(rankTrace(run.trace, name)));
  const { waitNs, awaitedNs } = waitsOf(collectives, alignClocks(collectives));
  const awaited = awaitedNs.reduce((sum, ns) => sum + ns, 0);
  const numbers = rankNumbers(names);
  const liftings: (Lifted | CopyscopeError)[] = [];
  const ranks = names.map((name, place): RankAnswer => {
    onRank?.(place, names.length);
    const trace = rankTrace(run.trace, name);
    const found = liftedOf(trace, runName(run.info), { ...options, error: run.info.error });
    liftings.push(found);
    const lifted = found instanceof CopyscopeError ? null : found;
    const parts = lifted?.parts ?? [];
    return {
      rank: numbers[place] ?? place,
      name,
      stepNs: lifted === null ? null : lowerMedian(lifted.recordedNs),
      parts,
      exposedCopyNs: parts.reduce((sum, { part, ns }) => sum + (part.startsWith('exposed-copy') ? ns : 0), 0),
      ...perStep(trace, lifted, collectives[place] as Collectives, waitNs[place] ?? new Map()),
      awaitedShare: awaited === 0 ? 0 : (awaitedNs[place] ?? 0) / awaited,
    };
  });
  const by = (value: (rank: RankAnswer) => number): number =>
    ranks.reduce((best, one, place) => (value(one) > value(ranks[best] as RankAnswer) ? place : best), 0);
  const slowest = by(({ awaitedShare, stepNs }) => (awaited === 0 ? (stepNs ?? 0) : awaitedShare));
  const lifted = liftings[slowest] as Lifted | CopyscopeError;
  if (lifted instanceof CopyscopeError) throw lifted;
  return { ranks, slowest: ranks[slowest]?.rank ?? 0, lifted, uneven: unevenWork(ranks, slowest) };
}

/** Smaller shares of the step are normal variation between equal ranks. */
const leastGain = 0.05;

/**
 * Returns null unless the others wait for the rank at `slowest` mainly because of its kernels. A rank's own time is its
 * step minus exposed communication, including waits. With even work, each own time would be the mean, plus the shortest
 * communication.
 */
function unevenWork(ranks: readonly RankAnswer[], slowest: number): UnevenWork | null {
  const rank = ranks[slowest];
  if (rank?.stepNs == null || rank.awaitedShare === 0 || ranks.some(({ stepNs }) => stepNs === null)) return null;
  const part = (one: RankAnswer, name: StepPart): number => one.parts.find((time) => time.part === name)?.ns ?? 0;
  const ownNs = (one: RankAnswer): number => (one.stepNs ?? 0) - part(one, 'communication');
  const others = ranks.filter((one) => one !== rank);
  const meanOf = (some: readonly RankAnswer[], ns: (one: RankAnswer) => number): number =>
    some.reduce((sum, one) => sum + ns(one), 0) / some.length;
  const evenStepNs = meanOf(ranks, ownNs) + Math.min(...ranks.map((one) => part(one, 'communication')));
  const kernelsNs = part(rank, 'kernels');
  const othersNs = meanOf(others, (one) => part(one, 'kernels'));
  const isOfKernels = kernelsNs - othersNs > (ownNs(rank) - meanOf(others, ownNs)) / 2;
  return isOfKernels && evenStepNs <= (1 - leastGain) * rank.stepNs
    ? { slowest: rank.rank, kernelsNs, othersNs, evenStepNs }
    : null;
}

function liftedOf(trace: Trace, name: string, options: LiftOptions): Lifted | CopyscopeError {
  try {
    return liftTrace(trace, name, options);
  } catch (thrown) {
    if (thrown instanceof CopyscopeError && thrown.code !== 'lift.no-such-steps') return thrown;
    throw thrown;
  }
}

/** Returns the median of what each lifted step's calls issued, or of the whole trace if it has no steps. */
function perStep(
  trace: Trace,
  lifted: Lifted | null,
  collectives: Collectives,
  waits: ReadonlyMap<string, Float64Array>,
): Pick<RankAnswer, 'communicationNs' | 'waitNs'> {
  const ranges = lifted?.found.ranges ?? [{ startNs: Number.NEGATIVE_INFINITY, untilNs: Number.POSITIVE_INFINITY }];
  const [communication, waiting] = [ranges.map(() => 0), ranges.map(() => 0)];
  const issuedNs = issueTimes(trace, collectives);
  let isShared = false;
  for (const [key, { rows, startNs, endNs }] of collectives) {
    for (const [at, row] of rows.entries()) {
      const wait = waits.get(key)?.[at] ?? Number.NaN;
      const issued = issuedNs.get(trace.columns.correlation[row] ?? 0) ?? (startNs[at] as number);
      const step = ranges.findIndex((range) => issued >= range.startNs && issued < range.untilNs);
      if (!Number.isNaN(wait)) isShared = true;
      if (step < 0) continue;
      const own = Number.isNaN(wait) ? 0 : wait;
      waiting[step] = (waiting[step] ?? 0) + own;
      communication[step] = (communication[step] ?? 0) + (endNs[at] as number) - (startNs[at] as number) - own;
    }
  }
  return { communicationNs: lowerMedian(communication), waitNs: isShared ? lowerMedian(waiting) : null };
}

const callKind = rowKinds.indexOf('host-call');

/** Returns when the calls of collectives began, by correlation. */
function issueTimes({ columns, count }: Trace, collectives: Collectives): Map<number, number> {
  const times = new Map<number, number>();
  for (const { rows } of collectives.values()) for (const row of rows) times.set(correlationOf(row), Number.NaN);
  times.delete(0);
  for (let row: RowIndex = 0; row < count; row += 1) {
    if (columns.kind[row] !== callKind) continue;
    const number = correlationOf(row);
    if (times.has(number)) times.set(number, columns.startNs[row] as number);
  }
  for (const [number, ns] of times) if (Number.isNaN(ns)) times.delete(number);
  return times;

  function correlationOf(row: RowIndex): number {
    return columns.correlation[row] as number;
  }
}
