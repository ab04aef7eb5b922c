/**
 * Compares two runs: makespan, lanes and operations, each with its spread over the iterations and whether the
 * difference is larger than that (spread.ts). Differences are b - a, of medians: positive if b takes longer.
 */

import type { Experiment } from '../../experiment/experiment.ts';
import type { Interval } from '../../trace/run.ts';
import { type Run, type RunInfo, type RunOrigin, runName } from '../../trace/run.ts';
import type { Lane, LaneKind, RowKind } from '../../trace/trace.ts';
import { formatBytes } from '../../units.ts';
import { share } from '../figures/overlap.ts';
import { programFacts } from '../verdicts/facts.ts';
import type { LaneTimes } from './laneTimes.ts';
import { matchOperations } from './matching.ts';
import { copyKey, measureRun, type OperationTable, type RunMeasures, type RunSteps } from './measures.ts';
import { programDifferences } from './programs.ts';
import { type Judgement, judge, type Sample, type Spread, sampleOf, spreadOf } from './spread.ts';

/** One quantity in both runs, in nanoseconds. */
export interface Difference {
  /** Null if a run doesn't have it. */
  readonly a: Spread | null;
  readonly b: Spread | null;
  /** b's median minus a's; null unless both have it. */
  readonly differenceNs: number | null;
  /** b's median divided by a's; null unless both have it and a's is above 0. */
  readonly ratio: number | null;
  readonly judgement: Judgement | null;
}

export type Side = 'both' | 'only-a' | 'only-b';

export interface LaneDifference {
  readonly side: Side;
  /** Lane id in each run; null if it has no corresponding lane. */
  readonly a: string | null;
  readonly b: string | null;
  readonly name: string;
  readonly kind: LaneKind;
  readonly busy: Difference;
  readonly overlap: Difference;
  readonly idle: Difference;
}

export interface OperationDifference {
  readonly side: Side;
  /** Operation number in each run; null if it has no corresponding operation, or no experiment. */
  readonly a: number | null;
  readonly b: number | null;
  readonly label: string;
  readonly kind: RowKind;
  /** Median number of executions per iteration; 0 if it didn't run. */
  readonly countA: number;
  readonly countB: number;
  /** Time of its work, over all executions in an iteration. */
  readonly duration: Difference;
  /** First start, from the iteration's start. */
  readonly start: Difference;
  /** Host time in its calls and in waiting for it, over all executions. */
  readonly host: Difference;
  /** Time of the makespan or step spent on it; 0 while a kernel overlapped it. See spent.ts. */
  readonly spent: Difference;
}

/** number: equal experiments. document: see matching.ts. name: a run has no experiment; copies go by kind and size. */
export type MatchedBy = 'number' | 'document' | 'name';

export interface ComparedRun extends Pick<RunInfo, 'engine' | 'status' | 'createdAt'> {
  readonly name: string;
  readonly device: string | null;
  readonly profile: string | null;
  /** Interval of a predicted makespan; null if recorded. */
  readonly makespanInterval: Interval | null;
  readonly iterations: number;
}

export interface RunComparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  readonly matchedBy: MatchedBy;
  /** Differences between the programs in words (programs.ts); null if a run has no experiment. */
  readonly programs: readonly string[] | null;
  readonly makespan: Difference;
  /** Number and duration of steps, if operations are compared step by step; otherwise null. */
  readonly steps: { readonly a: number; readonly b: number; readonly duration: Difference } | null;
  /** In the order of a's lanes, then those that only b has. */
  readonly lanes: readonly LaneDifference[];
  /** In the order of a's numbers, then those that only b has. */
  readonly operations: readonly OperationDifference[];
}

/** Compares two runs. `stepsOf` finds the steps of a trace; if both have steps, operations are compared by step. */
export function compareRuns(a: Run, b: Run, stepsOf: (run: Run) => RunSteps | null = () => null): RunComparison {
  const matchedBy = howMatched(a.info.experiment, b.info.experiment);
  const byName = matchedBy === 'name';
  const steps = byName ? ([stepsOf(a), stepsOf(b)] as const) : null;
  const byStep = steps !== null && steps[0] !== null && steps[1] !== null;
  const [first, second] = byStep
    ? [measureRun(a, byName, steps[0]), measureRun(b, byName, steps[1])]
    : [measureRun(a, byName), measureRun(b, byName)];
  return {
    a: describe(a.info, first),
    b: describe(b.info, second),
    matchedBy,
    programs: programsOf(a.info.experiment, b.info.experiment),
    makespan: difference(sampleOf(first.makespanNs, first.exact), sampleOf(second.makespanNs, second.exact)),
    steps: stepDifference(first, second),
    lanes: laneDifferences(first, second),
    operations: operationDifferences(a.info, b.info, first, second, matchedBy),
  };
}

const programsOf = (a: Experiment | null, b: Experiment | null): string[] | null =>
  a === null || b === null ? null : programDifferences(a, b);

function stepDifference(a: RunMeasures, b: RunMeasures): RunComparison['steps'] {
  if (a.stepNs === null || b.stepNs === null) return null;
  const duration = difference(sampleOf(a.stepNs, a.exact), sampleOf(b.stepNs, b.exact));
  return { a: a.stepNs.length, b: b.stepNs.length, duration };
}

const describe = (info: RunInfo, { iterations }: RunMeasures): ComparedRun => ({
  name: runName(info),
  engine: info.engine,
  status: info.status,
  createdAt: info.createdAt,
  device: info.device?.name ?? null,
  profile: info.profile ?? null,
  makespanInterval: info.makespanInterval ?? null,
  iterations,
});

function howMatched(a: Experiment | null, b: Experiment | null): MatchedBy {
  if (a === null || b === null) return 'name';
  return JSON.stringify(a.threads) === JSON.stringify(b.threads) ? 'number' : 'document';
}

/** Compares two samples of one quantity. */
export function difference(a: Sample | null, b: Sample | null): Difference {
  const [first, second] = [a === null ? null : spreadOf(a), b === null ? null : spreadOf(b)];
  const known = first !== null && second !== null;
  return {
    a: first,
    b: second,
    differenceNs: known ? second.median - first.median : null,
    ratio: known ? share(second.median, first.median) : null,
    judgement: a === null || b === null ? null : judge(a, b),
  };
}

function laneDifferences(a: RunMeasures, b: RunMeasures): LaneDifference[] {
  const rest = new Set(b.lanes);
  const take = (isLike: (lane: Lane) => boolean): LaneTimes | undefined => {
    const found = [...rest].find(({ lane }) => isLike(lane));
    if (found !== undefined) rest.delete(found);
    return found;
  };
  const byId = new Map(a.lanes.map((times) => [times, take(({ id }) => id === times.lane.id)]));
  // Otherwise uses the same engine of the device under another name.
  const pairs = a.lanes.map((times): readonly [LaneTimes, LaneTimes | undefined] => {
    const { kind, name, direction } = times.lane;
    const like = (lane: Lane): boolean => lane.kind === kind && lane.name === name && lane.direction === direction;
    return [times, byId.get(times) ?? take(like)];
  });
  return [
    ...pairs.map(([one, other]) => laneDifference(one, other, a.exact, b.exact)),
    ...[...rest].map((other) => laneDifference(undefined, other, a.exact, b.exact)),
  ];
}

function laneDifference(
  a: LaneTimes | undefined,
  b: LaneTimes | undefined,
  exactA: boolean,
  exactB: boolean,
): LaneDifference {
  const of = (column: 'busyNs' | 'overlapNs' | 'idleNs'): Difference =>
    difference(
      a === undefined ? null : sampleOf(a[column], exactA),
      b === undefined ? null : sampleOf(b[column], exactB),
    );
  const lane = a?.lane ?? b?.lane;
  return {
    side: sideOf(a, b),
    a: a?.lane.id ?? null,
    b: b?.lane.id ?? null,
    name: lane?.name ?? '',
    kind: lane?.kind ?? 'stream',
    busy: of('busyNs'),
    overlap: of('overlapNs'),
    idle: of('idleNs'),
  };
}

const sideOf = (a: unknown, b: unknown): Side => (a === undefined ? 'only-b' : b === undefined ? 'only-a' : 'both');

function operationDifferences(
  a: RunInfo,
  b: RunInfo,
  first: RunMeasures,
  second: RunMeasures,
  matchedBy: MatchedBy,
): OperationDifference[] {
  const pairs = pairEntries(first.operations, second.operations, matching(a, b, matchedBy));
  const [labelA, labelB] = [programFacts(a.experiment).label, programFacts(b.experiment).label];
  const [tableA, tableB] = [first.operations, second.operations];
  return pairs.map(([one, other]) => {
    const [entryA, entryB] = [tableA.entries[one ?? -1], tableB.entries[other ?? -1]];
    // Compares like with like: calls, if only one run recorded the work on the device.
    const rank = Math.min(tableA.ranks[one ?? -1] ?? 2, tableB.ranks[other ?? -1] ?? 2);
    const of = (column: Column): Difference =>
      difference(
        sampleOf(columnValues(tableA, column, rank, one), first.exact),
        sampleOf(columnValues(tableB, column, rank, other), second.exact),
      );
    const label = (entryA === undefined ? undefined : labelA(entryA.op)) ?? labelB(entryB?.op ?? -1);
    return {
      side: sideOf(entryA, entryB),
      a: numberOf(entryA?.op),
      b: numberOf(entryB?.op),
      label: label ?? entryLabel(entryA, entryB),
      kind: entryA?.kind ?? entryB?.kind ?? 'host-call',
      countA: medianCount(tableA, rank, one),
      countB: medianCount(tableB, rank, other),
      duration: of('durationNs'),
      start: of('startNs'),
      host: of('hostNs'),
      spent: difference(
        sampleOf(spentValues(tableA, one), first.exact),
        sampleOf(spentValues(tableB, other), second.exact),
      ),
    };
  });
}

type Entry = OperationTable['entries'][number];

/** Labels a copy by size and memory. If the memory differs, names both: 'H2D 28.1 MiB, pageable and pinned'. */
function entryLabel(a: Entry | undefined, b: Entry | undefined): string {
  const copy = a?.copy ?? b?.copy ?? null;
  if (copy === null) return a?.name ?? b?.name ?? '';
  const memories = [...new Set([a?.copy?.memory, b?.copy?.memory])].filter((one) => one !== undefined);
  return `${copy.direction.toUpperCase()} ${formatBytes(copy.bytes)}, ${memories.join(' and ')}`;
}

const numberOf = (op: number | undefined): number | null => (op === undefined || op < 0 ? null : op);

/** Key that corresponding operations of both runs share. */
type EntryKey = (entry: OperationTable['entries'][number]) => string | number;

function matching(a: RunInfo, b: RunInfo, matchedBy: MatchedBy): { readonly a: EntryKey; readonly b: EntryKey } {
  if (matchedBy === 'name') {
    const key: EntryKey = ({ kind, name, copy }) => (copy === null ? `${kind} ${name}` : copyKey(copy));
    return { a: key, b: key };
  }
  const byNumber: EntryKey = ({ op }) => op;
  if (matchedBy === 'number' || a.experiment === null || b.experiment === null) return { a: byNumber, b: byNumber };
  const matches = matchOperations(a.experiment, b.experiment);
  // Negative keys mark operations that only b has.
  return { a: ({ op }) => matches[op] ?? -1 - op, b: byNumber };
}

type EntryPair = readonly [number | undefined, number | undefined];

function pairEntries(
  a: OperationTable,
  b: OperationTable,
  key: { readonly a: EntryKey; readonly b: EntryKey },
): EntryPair[] {
  const others = new Map(b.entries.map((entry, index) => [key.b(entry), index]));
  const pairs = a.entries.map((entry, index): EntryPair => {
    const name = key.a(entry);
    const other = others.get(name);
    others.delete(name);
    return [index, other];
  });
  const order = (table: OperationTable, index: number | undefined): number => table.entries[index ?? -1]?.op ?? -1;
  pairs.sort(([one], [other]) => order(a, one) - order(a, other));
  const rest = [...others.values()].map((index): EntryPair => [undefined, index]);
  rest.sort(([, one], [, other]) => order(b, one) - order(b, other));
  return [...pairs, ...rest];
}

type Column = 'durationNs' | 'startNs' | 'hostNs';

/** Returns the values of iterations in which it ran; no host time if it has no device work, or no calls. */
function columnValues(table: OperationTable, column: Column, rank: number, entry: number | undefined): number[] {
  if (entry === undefined || (column === 'hostNs' && rank < 2)) return [];
  const [calls, host] = table.tallies;
  const own = table.tallies[rank as 0 | 1 | 2];
  const values: number[] = [];
  for (let cell = entry * table.iterations; cell < (entry + 1) * table.iterations; cell += 1) {
    if (own.count[cell] === 0) continue;
    if (column !== 'hostNs') values.push(own[column][cell] as number);
    else if (calls.count[cell] !== 0 || host.count[cell] !== 0) {
      values.push((calls.durationNs[cell] as number) + (host.durationNs[cell] as number));
    }
  }
  return values;
}

/** Returns the values of iterations or steps in which it ran. */
function spentValues({ iterations, spentNs, tallies }: OperationTable, entry: number | undefined): number[] {
  if (entry === undefined) return [];
  const values: number[] = [];
  for (let cell = entry * iterations; cell < (entry + 1) * iterations; cell += 1) {
    if (tallies.some(({ count }) => count[cell] !== 0)) values.push(spentNs[cell] as number);
  }
  return values;
}

function medianCount(table: OperationTable, rank: number, entry: number | undefined): number {
  if (entry === undefined) return 0;
  const counts = table.tallies[rank as 0 | 1 | 2].count;
  const sample = sampleOf(counts.slice(entry * table.iterations, (entry + 1) * table.iterations), true);
  return sample === null ? 0 : spreadOf(sample).median;
}

export const comparisonFormat = 'copyscope/comparison';
export const comparisonVersion = 2;

type ComparedFile = ComparedRun & {
  readonly origin: RunOrigin;
  /** Set if the simulation includes the cost of recording, because the other run is recorded. */
  readonly whileRecording?: true;
};

/** Output of `copyscope compare --json`. docs/guide/compare-and-sweep.md describes it for people. */
export interface ComparisonDocument extends Omit<RunComparison, 'a' | 'b'> {
  readonly format: typeof comparisonFormat;
  readonly version: typeof comparisonVersion;
  readonly a: ComparedFile;
  readonly b: ComparedFile;
}
