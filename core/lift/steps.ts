/**
 * The steps of a recorded program. The first of these that finds some: ranges of the profiler (ProfilerStep), ranges that its
 * author marked (record_function, NVTX), marks of an optimizer or loader, graph launches, device work that repeats; or else
 * the whole trace. A step is over when its host part and all that it issued are done.
 */
import { append } from '../groupBy.ts';
import { countWithin, lowerBound } from '../lowerBound.ts';
import { lowerMedian } from '../statistics.ts';
import { isCallStackName } from '../trace/callStack.ts';
import { isOsRuntimeName } from '../trace/rangeNames.ts';
import { pauseWithin, type RowIndex, type Trace } from '../trace/trace.ts';
import { isGraphLaunch } from './classes.ts';
import type { HostLine } from './hostLine.ts';
import { processOfLane } from './processes.ts';

export interface StepRange {
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
  /**
   * Where the next step begins, or the recording paused: what lies between two steps belongs to the first. Of the trace's
   * last step its own end.
   */
  readonly untilNs: number;
  /** Where its time begins, if that is not its own begin: a lone graph's, on the device. */
  readonly fromNs?: number;
}

/** As it is marked. */
type MarkedRange = Omit<StepRange, 'untilNs'>;

export interface FoundSteps {
  readonly ranges: readonly StepRange[];
  /** Host thread lane on which they lie; -1 where none were found. */
  readonly lane: number;
  /** In words: how they were found. */
  readonly rule: string;
}

function reaching(trace: Trace, ranges: readonly MarkedRange[]): StepRange[] {
  return ranges.map((range, index) => {
    const nextNs = ranges[index + 1]?.startNs ?? range.endNs;
    return { ...range, untilNs: untilPause(trace, range.startNs, nextNs) };
  });
}

/** Less than this part of a step tells less than what is lost with one of its few steps. */
const smallPart = 0.05;

/**
 * Whether the trace does not tell where its last step ends: between the marks of the others the program does something too,
 * as load what the next step works on.
 */
export function endsAtItsMark(ranges: readonly StepRange[]): boolean {
  const others = ranges.slice(0, -1);
  if (others.length === 0) return false;
  const between = lowerMedian(others.map(({ endNs, untilNs }) => untilNs - endNs));
  return between > smallPart * lowerMedian(others.map(({ startNs, untilNs }) => untilNs - startNs));
}

/** Whether time lies between the step before and this one: the recording paused, or a step was left out. */
export function isAfterGap(ranges: readonly StepRange[], index: number): boolean {
  const before = ranges[index - 1];
  return before !== undefined && before.untilNs < (ranges[index]?.startNs ?? 0);
}

/** Framework internals repeat within a step. */
const internal =
  /^(aten::|autograd::|cuda[A-Z]|cu[A-Z]|torch::|c10|\[|<|.*\.py\(\d+\)|nn\.Module)|Backward\d*$|#|^Memory/;
const profilerStep = /^ProfilerStep/;

/** Marks of PyTorch's between two steps: an optimizer's ends one, a loader's begins one. */
const optimizerStep = /^Optimizer\.step#/;
const nextBatch = /^enumerate\(DataLoader\)/;
const isBetweenSteps = (name: string): boolean => optimizerStep.test(name) || nextBatch.test(name);

const isInternal = (name: string): boolean =>
  (internal.test(name) && !profilerStep.test(name) && !isBetweenSteps(name)) ||
  isOsRuntimeName(name) ||
  isCallStackName(name);

/**
 * Steps of the program whose calls `line` holds: other processes of a job have their own, at their own times. Those that put
 * nothing on the device are left out.
 */
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

/** The first of these rules that finds something. */
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

/** What the line's calls put on the device, by when they began: work belongs to the step that issued it. */
class IssuedWork {
  readonly #startsNs: Float64Array;
  /** By place, the device's time of all calls before it. */
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

/** ProfilerStep#7 and ProfilerStep#8 are of one name. */
const nameOf = (name: string): string => name.replace(/[#\s_-]*\d+$/, '');

/** Of the process that the line's threads belong to; of all where lanes don't tell theirs. */
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
const endOf = ({ columns }: Trace, row: RowIndex): number =>
  (columns.startNs[row] ?? 0) + (columns.durationNs[row] ?? 0);

function areApart(trace: Trace, rows: readonly RowIndex[]): boolean {
  return rows.every((row, index) => index === 0 || startOf(trace, row) >= endOf(trace, rows[index - 1] ?? 0));
}

/** Steps hold at least this part of the device's work: the rest is what a program does before and after them. */
const leastHeld = 1 / 4;

/** Calls between two marks that differ by more than this part are not of the same step again. */
const mostDifferent = 0.1;

/**
 * Whether ranges repeat several times in a larger unit, as the two attentions of a layer: from one to the next the program
 * does something else than from that one to the one after it, and the same again some places later.
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

/** The ranges that hold most of the device's work; of those alike the fewest. */
function mostCovering(trace: Trace, work: IssuedWork, candidates: readonly Group[]): Group | undefined {
  const scored = candidates.map((group) => {
    const held = group.rows.reduce((sum, row) => sum + work.nsWithin(startOf(trace, row), endOf(trace, row)), 0);
    return { group, held };
  });
  const most = Math.max(0, ...scored.map(({ held }) => held));
  if (!(most > 0 && most >= leastHeld * work.totalNs)) return undefined;
  const good = scored.filter(({ held }) => held >= 0.9 * most);
  good.sort((a, b) => a.group.rows.length - b.group.rows.length);
  return good[0]?.group;
}

/** From one mark of an optimizer or loader to the next: of several the one that has the fewest. */
function betweenMarks(trace: Trace, work: IssuedWork, groups: readonly Group[]): MarkedSteps | null {
  const found = groups.flatMap(({ name, lane, rows }) => {
    if (!isBetweenSteps(name) || rows.length < 2) return [];
    const isEnd = optimizerStep.test(name);
    const places = rows.map((row) => (isEnd ? endOf(trace, row) : startOf(trace, row)));
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

/** A program that launches graphs does so once a step; a single launch is one step, as far as nothing else takes longer. */
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
    toNs = Math.max(toNs, endOf(trace, row));
    workNs += trace.columns.durationNs[row] ?? 0;
  }
  return { row: calls.rows[place] ?? -1, nodes, fromNs, toNs, workNs };
}

const rangesOf = (trace: Trace, rows: readonly RowIndex[]): MarkedRange[] =>
  rows.map((row) => ({
    name: trace.names[trace.columns.name[row] ?? -1] ?? 'step',
    startNs: startOf(trace, row),
    endNs: endOf(trace, row),
  }));

/** Without marks: calls that put the same on the device with one period over most of the trace. */
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

/** Of each name so many of its last places are looked at. */
const mostPlaces = 65;

/** The shortest period that at least nine in ten names of the list's second part repeat. */
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

/** Of each name its last places, the last one first. */
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
  for (let row = 0; row < trace.count; row += 1) end = Math.max(end, endOf(trace, row));
  return {
    ranges: [{ name: 'trace', startNs: 0, endNs: end }],
    lane: -1,
    rule: 'nothing repeats: the whole trace is one step',
  };
}
