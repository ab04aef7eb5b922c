/**
 * Finds the steps of a recorded program with the first rule that succeeds: ranges of the profiler (ProfilerStep),
 * ranges marked by the author (record_function, NVTX), marks of an optimizer or loader, graph launches, repeating
 * device work; or else the whole trace. A step is over when its host part and all work it issued are done.
 */
import { append } from '../groupBy.ts';
import { countWithin, lowerBound } from '../lowerBound.ts';
import { lowerMedian } from '../statistics.ts';
import { isCallStackName } from '../trace/callStack.ts';
import { isOsRuntimeName } from '../trace/rangeNames.ts';
import { rowEndNs } from '../trace/rows.ts';
import { pauseWithin, type RowIndex, type Trace } from '../trace/trace.ts';
import { isGraphLaunch } from './classes.ts';
import type { HostLine } from './hostLine.ts';

export interface StepRange {
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
  /** Begin of the next step or pause, because time between steps belongs to the first. For the last step, its end. */
  readonly untilNs: number;
  /** Begin of its time, if that isn't its own begin: for a single graph, on the device. */
  readonly fromNs?: number;
}

/** A step as marked. */
type MarkedRange = Omit<StepRange, 'untilNs'>;

export interface FoundSteps {
  readonly ranges: readonly StepRange[];
  /** Host thread lane of the steps; -1 if none were found. */
  readonly lane: number;
  /** Text that says how they were found. */
  readonly rule: string;
}

function reaching(trace: Trace, ranges: readonly MarkedRange[]): StepRange[] {
  return ranges.map((range, index) => {
    const nextNs = ranges[index + 1]?.startNs ?? range.endNs;
    return { ...range, untilNs: untilPause(trace, range.startNs, nextNs) };
  });
}

/** Relative to a step; losing less than this is better than losing one of few steps. */
const smallPart = 0.05;

/** Returns whether the last step has no known end: between marks the program does more, such as loading. */
export function endsAtItsMark(ranges: readonly StepRange[]): boolean {
  const others = ranges.slice(0, -1);
  if (others.length === 0) return false;
  const between = lowerMedian(others.map(({ endNs, untilNs }) => untilNs - endNs));
  return between > smallPart * lowerMedian(others.map(({ startNs, untilNs }) => untilNs - startNs));
}

/** Returns whether there is a gap before this step, because the recording paused or a step was left out. */
export function isAfterGap(ranges: readonly StepRange[], index: number): boolean {
  const before = ranges[index - 1];
  return before !== undefined && before.untilNs < (ranges[index]?.startNs ?? 0);
}

/** Framework internals repeat within a step. */
const internal =
  /^(aten::|autograd::|cuda[A-Z]|cu[A-Z]|torch::|c10|\[|<|.*\.py\(\d+\)|nn\.Module)|Backward\d*$|#|^Memory/;
const profilerStep = /^ProfilerStep/;

/** PyTorch's marks between two steps: an optimizer's mark ends one, a loader's begins one. */
const optimizerStep = /^Optimizer\.step#/;
const nextBatch = /^enumerate\(DataLoader\)/;
const isBetweenSteps = (name: string): boolean => optimizerStep.test(name) || nextBatch.test(name);

const isInternal = (name: string): boolean =>
  (internal.test(name) && !profilerStep.test(name) && !isBetweenSteps(name)) ||
  isOsRuntimeName(name) ||
  isCallStackName(name);

/** Returns the steps of the line's program, without steps that issue no work. Other processes have their own. */
export function findSteps(trace: Trace, line: HostLine): FoundSteps {
  const work = new IssuedWork(trace, line);
  const found = markedSteps(trace, line, work);
  const ranges = reaching(trace, found.ranges);
  const busy = ranges.filter(({ startNs, untilNs }) => work.callsWithin(startNs, untilNs) > 0);
  if (busy.length === 0 || busy.length === ranges.length) return { ...found, ranges };
  const left = ranges.length - busy.length;
  const those = left === 1 ? '1 that puts nothing on the device is' : `${left} that put nothing on the device are`;
  return { ...found, ranges: busy, rule: `${found.rule}; ${those} left out` };
}

type MarkedSteps = Omit<FoundSteps, 'ranges'> & { readonly ranges: readonly MarkedRange[] };

/** Applies these rules in order until one succeeds. */
function markedSteps(trace: Trace, line: HostLine, work: IssuedWork): MarkedSteps {
  const groups = [...rangeGroups(trace, line).values()].filter(({ rows }) => areApart(trace, rows));
  const own = groups.filter(
    ({ name, rows }) => rows.length >= 2 && !isBetweenSteps(name) && !areSeveralInOne(trace, work, rows),
  );
  const profiled = groups.filter(({ name }) => profilerStep.test(name));
  const marked = mostRows(profiled) ?? mostCovering(trace, work, own);
  if (marked !== undefined)
    return { ranges: rangesOf(trace, marked.rows), lane: marked.lane, rule: `ranges named "${marked.name}"` };
  return (
    betweenMarks(trace, work, groups) ?? byGraphs(trace, line, work) ?? byRepetition(trace, line) ?? wholeTrace(trace)
  );
}

const mostRows = (groups: readonly Group[]): Group | undefined =>
  [...groups].sort((a, b) => b.rows.length - a.rows.length)[0];

/** Work issued by the line's calls, by start of the call: work belongs to the step that issued it. */
class IssuedWork {
  readonly #startsNs: Float64Array;
  /** Device time of all calls before a place. */
  readonly #timeNs: Float64Array;

  constructor(trace: Trace, { calls }: HostLine) {
    const starts: number[] = [];
    const times: number[] = [0];
    let sum = 0;
    for (let place = 0; place < calls.length; place += 1) {
      const first = calls.firstActivity(place);
      if (first < 0) continue;
      for (let row = first; row >= 0; row = calls.nextActivity(row)) sum += trace.columns.durationNs[row] ?? 0;
      starts.push(calls.startNs(place));
      times.push(sum);
    }
    this.#startsNs = Float64Array.from(starts);
    this.#timeNs = Float64Array.from(times);
  }

  get totalNs(): number {
    return this.#timeNs.at(-1) ?? 0;
  }

  callsWithin(fromNs: number, toNs: number): number {
    return countWithin(this.#startsNs, fromNs, toNs);
  }

  nsWithin(fromNs: number, toNs: number): number {
    const at = (ns: number): number =>
      lowerBound(0, this.#startsNs.length, (index) => (this.#startsNs[index] ?? 0) < ns);
    return (this.#timeNs[at(toNs)] ?? 0) - (this.#timeNs[at(fromNs)] ?? 0);
  }
}

interface Group {
  readonly name: string;
  readonly lane: number;
  readonly rows: RowIndex[];
}

/** Removes the number, so that ProfilerStep#7 and ProfilerStep#8 have the same name. */
const nameOf = (name: string): string => name.replace(/[#\s_-]*\d+$/, '');

/** Groups ranges of the line's process, or all ranges if lanes don't name their process. */
function rangeGroups(trace: Trace, { ranges, process }: HostLine): Map<string, Group> {
  const { columns, lanes, names } = trace;
  const groups = new Map<string, Group>();
  const shortNames = names.map((name) => (isInternal(name) ? '' : nameOf(name)));
  const isOfProcess = lanes.map((_, lane) => processOfLane(trace, lane) === process);
  for (const row of ranges) {
    const name = shortNames[columns.name[row] ?? -1] ?? '';
    const lane = columns.lane[row] ?? -1;
    if (name === '' || isOfProcess[lane] !== true) continue;
    const key = `${lane} ${name}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { name, lane, rows: [row] });
    else known.rows.push(row);
  }
  return groups;
}

const startOf = ({ columns }: Trace, row: RowIndex): number => columns.startNs[row] ?? 0;

function areApart(trace: Trace, rows: readonly RowIndex[]): boolean {
  return rows.every((row, index) => index === 0 || startOf(trace, row) >= rowEndNs(trace, rows[index - 1] ?? 0));
}

/** Smallest share of the device's work inside steps; the rest is what a program does before and after them. */
const leastHeld = 1 / 4;

/** Largest relative difference of calls between marks of repetitions of the same step. */
const mostDifferent = 0.1;

/**
 * Returns whether ranges repeat several times in a larger unit, like two attentions in a layer: successive numbers of
 * calls differ, but repeat with a longer period.
 */
function areSeveralInOne(trace: Trace, work: IssuedWork, rows: readonly RowIndex[]): boolean {
  const starts = rows.map((row) => startOf(trace, row));
  const counts = starts.slice(1).map((ns, index) => work.callsWithin(starts[index] ?? 0, ns));
  const alike = (by: number): number => {
    const pairs = counts.slice(by).map((count, index) => [count, counts[index] ?? 0] as const);
    return pairs.filter(([a, b]) => Math.abs(a - b) <= mostDifferent * Math.max(a, b)).length / pairs.length;
  };
  if (counts.length < 6 || alike(1) >= 0.5) return false;
  for (let by = 2; by <= counts.length / 3; by += 1) if (alike(by) >= 0.8) return true;
  return false;
}

/** Returns the ranges that contain most of the device's work; if several do, the fewest. */
function mostCovering(trace: Trace, work: IssuedWork, candidates: readonly Group[]): Group | undefined {
  const scored = candidates.map((group) => {
    const held = group.rows.reduce((sum, row) => sum + work.nsWithin(startOf(trace, row), rowEndNs(trace, row)), 0);
    return { group, held };
  });
  const most = Math.max(0, ...scored.map(({ held }) => held));
  if (!(most > 0 && most >= leastHeld * work.totalNs)) return undefined;
  const good = scored.filter(({ held }) => held >= 0.9 * most);
  good.sort((a, b) => a.group.rows.length - b.group.rows.length);
  return good[0]?.group;
}

/** Makes steps from one mark of an optimizer or loader to the next; if there are several marks, the rarest. */
function betweenMarks(trace: Trace, work: IssuedWork, groups: readonly Group[]): MarkedSteps | null {
  const found = groups.flatMap(({ name, lane, rows }) => {
    if (!isBetweenSteps(name) || rows.length < 2) return [];
    const isEnd = optimizerStep.test(name);
    const places = rows.map((row) => (isEnd ? rowEndNs(trace, row) : startOf(trace, row)));
    const ranges = stepsBetween(places);
    const held = work.nsWithin(places[0] ?? 0, places.at(-1) ?? 0);
    const isTelling = held >= leastHeld * work.totalNs && held > 0;
    const rule = isEnd ? `from the end of one "${name}" to the next one's` : `from one "${name}" to the next`;
    return isTelling ? [{ ranges, lane, rule }] : [];
  });
  found.sort((a, b) => a.ranges.length - b.ranges.length);
  return found[0] ?? null;
}

const stepsBetween = (places: readonly number[]): MarkedRange[] =>
  places.slice(0, -1).map((startNs, index) => ({
    name: `step ${index + 1}`,
    startNs,
    endNs: places[index + 1] ?? startNs,
  }));

/** Takes each graph launch as a step. A single launch is one step if nothing else takes longer. */
function byGraphs(trace: Trace, { calls }: HostLine, work: IssuedWork): MarkedSteps | null {
  const groups = new Map<string, GraphLaunch[]>();
  let othersNs = 0;
  for (let place = 0; place < calls.length; place += 1) {
    const row = calls.rows[place] ?? -1;
    const first = calls.firstActivity(place);
    if (first < 0 || !isGraphLaunch(trace.names[trace.columns.name[row] ?? -1] ?? '')) {
      othersNs += trace.columns.durationNs[row] ?? 0;
      continue;
    }
    const launch = graphLaunch(trace, calls, place);
    append(groups, `${trace.columns.name[first]} ${launch.nodes}`, launch);
  }
  const timeOf = (launches: readonly GraphLaunch[]): number => launches.reduce((sum, { workNs }) => sum + workNs, 0);
  const best = [...groups.values()].sort((a, b) => timeOf(b) - timeOf(a))[0];
  if (best === undefined || timeOf(best) < work.totalNs / 2) return null;
  const [only, another] = best;
  const lane = trace.columns.lane[only?.row ?? -1] ?? -1;
  if (only !== undefined && another === undefined) {
    const { row, fromNs, toNs } = only;
    const isAll = othersNs < toNs - fromNs;
    const range = { name: 'graph launch', startNs: startOf(trace, row), endNs: toNs, fromNs };
    return isAll ? { ranges: [range], lane, rule: 'a graph is launched once: what it runs is one step' } : null;
  }
  const places = [...best.map(({ row }) => startOf(trace, row)), best.at(-1)?.toNs ?? 0];
  return { ranges: stepsBetween(places), lane, rule: `from one launch of the same graph to the next` };
}

interface GraphLaunch {
  readonly row: RowIndex;
  readonly nodes: number;
  /** From the begin of the first node to the end of the last. */
  readonly fromNs: number;
  readonly toNs: number;
  readonly workNs: number;
}

function graphLaunch(trace: Trace, calls: HostLine['calls'], place: number): GraphLaunch {
  let [nodes, fromNs, toNs, workNs] = [0, Number.POSITIVE_INFINITY, 0, 0];
  for (let row = calls.firstActivity(place); row >= 0; row = calls.nextActivity(row)) {
    nodes += 1;
    fromNs = Math.min(fromNs, startOf(trace, row));
    toNs = Math.max(toNs, rowEndNs(trace, row));
    workNs += trace.columns.durationNs[row] ?? 0;
  }
  return { row: calls.rows[place] ?? -1, nodes, fromNs, toNs, workNs };
}

const rangesOf = (trace: Trace, rows: readonly RowIndex[]): MarkedRange[] =>
  rows.map((row) => ({
    name: trace.names[trace.columns.name[row] ?? -1] ?? 'step',
    startNs: startOf(trace, row),
    endNs: rowEndNs(trace, row),
  }));

/** Finds calls that issue the same work periodically over most of the trace. */
function byRepetition(trace: Trace, { calls }: HostLine): MarkedSteps | null {
  const places: number[] = [];
  for (let place = 0; place < calls.length; place += 1) if (calls.firstActivity(place) >= 0) places.push(place);
  const period = periodOf(Int32Array.from(places, (place) => trace.columns.name[calls.firstActivity(place)] ?? -1));
  if (period === null) return null;
  const count = Math.floor((places.length - period.from) / period.length);
  const starts = Array.from({ length: count }, (_, index) =>
    calls.startNs(places[period.from + index * period.length] ?? -1),
  );
  const ranges = stepsBetween(starts);
  if (ranges.length < 2) return null;
  const lane = trace.columns.lane[calls.rows[places[period.from] ?? 0] ?? 0] ?? -1;
  return { ranges, lane, rule: `the same ${period.length} device activities again and again` };
}

const untilPause = (trace: Trace, fromNs: number, toNs: number): number =>
  pauseWithin(trace, fromNs, toNs)?.fromNs ?? toNs;

/** Limit of last places per name that are searched. */
const mostPlaces = 65;

/** Returns the shortest period that at least nine of ten names in the second half repeat. */
function periodOf(names: Int32Array): { readonly from: number; readonly length: number } | null {
  const most = Math.min(Math.floor(names.length / 3), 20_000);
  const from = Math.floor(names.length / 10);
  const tail = names.subarray(from);
  // A period is the distance between two places of the rarest name that occurs at least three times.
  const gaps = new Set<number>();
  for (const places of lastPlaces(tail).values()) {
    if (places.length < 3) continue;
    for (let index = 1; index < places.length; index += 1) gaps.add((places[index - 1] ?? 0) - (places[index] ?? 0));
  }
  for (const gap of [...gaps]
    .filter((one) => one >= 2 && one <= most)
    .sort((a, b) => a - b)
    .slice(0, 200)) {
    let same = 0;
    for (let index = gap; index < tail.length; index += 1) if (tail[index] === tail[index - gap]) same += 1;
    if (same >= 0.9 * (tail.length - gap) && tail.length >= 3 * gap) return { from, length: gap };
  }
  return null;
}

/** Returns the last places of each name, the last one first. */
function lastPlaces(names: Int32Array): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (let index = names.length - 1; index >= 0; index -= 1) {
    const known = places.get(names[index] as number);
    if (known === undefined) places.set(names[index] as number, [index]);
    else if (known.length < mostPlaces) known.push(index);
  }
  return places;
}

function wholeTrace(trace: Trace): MarkedSteps {
  let end = 0;
  for (let row = 0; row < trace.count; row += 1) end = Math.max(end, rowEndNs(trace, row));
  return {
    ranges: [{ name: 'trace', startNs: 0, endNs: end }],
    lane: -1,
    rule: 'nothing repeats: the whole trace is one step',
  };
}

const processOf = /^thread:([^:]+):/;

/** Returns the process in a host thread's lane, such as "[TP00] 424"; empty if lanes don't name it. */
export const processOfLane = ({ lanes }: Trace, lane: number): string =>
  processOf.exec(lanes[lane]?.id ?? '')?.[1] ?? '';
