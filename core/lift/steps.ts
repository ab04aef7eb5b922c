/**
 * The steps of a recorded program: ranges that its author or a framework marked (ProfilerStep, record_function, NVTX), or the
 * whole trace where nothing repeats. A step is over when its host part and all that it issued are done.
 */
import { countWithin } from '../lowerBound.ts';
import { lowerMedian } from '../statistics.ts';
import { isCallStackName } from '../trace/callStack.ts';
import { inOrder } from '../trace/inOrder.ts';
import { isOsRuntimeName } from '../trace/rangeNames.ts';
import { RowsByNumber } from '../trace/rowsByNumber.ts';
import { pauseWithin, type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
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

/** Whether the recording paused between the step before and this one. */
export function isAfterPause(trace: Trace, ranges: readonly StepRange[], index: number): boolean {
  const before = ranges[index - 1];
  return before !== undefined && pauseWithin(trace, before.startNs, ranges[index]?.startNs ?? 0) !== undefined;
}

const rangeKind = rowKinds.indexOf('host-range');
/** Framework internals repeat within a step. */
const internal =
  /^(aten::|autograd::|cuda[A-Z]|cu[A-Z]|torch::|c10|\[|<|.*\.py\(\d+\)|nn\.Module)|Backward\d*$|#|^Memory/;
const profilerStep = /^ProfilerStep/;

const isInternal = (name: string): boolean =>
  (internal.test(name) && !profilerStep.test(name)) || isOsRuntimeName(name) || isCallStackName(name);

/** Steps of the program whose calls `line` holds: other processes of a job have their own, at their own times. */
export function findSteps(trace: Trace, line: HostLine): FoundSteps {
  const found = markedSteps(trace, line);
  return { ...found, ranges: reaching(trace, found.ranges) };
}

type MarkedSteps = Omit<FoundSteps, 'ranges'> & { readonly ranges: readonly MarkedRange[] };

function markedSteps(trace: Trace, line: HostLine): MarkedSteps {
  const lanes = lanesBeside(trace, line);
  const groups = rangeGroups(trace, lanes);
  const candidates = [...groups.values()].filter(({ rows }) => rows.length >= 2 && areApart(trace, rows));
  const marked = candidates.find(({ name }) => profilerStep.test(name));
  const best = marked ?? mostCovering(trace, lanes, candidates);
  if (best !== undefined)
    return { ranges: rangesOf(trace, best.rows), lane: best.lane, rule: `ranges named "${best.name}"` };
  const repeated = byRepetition(trace, lanes);
  return repeated ?? wholeTrace(trace);
}

/** Lanes of the processes that the line's threads belong to; of all where lanes don't tell theirs. */
function lanesBeside(trace: Trace, line: HostLine): ReadonlySet<number> {
  return new Set([...trace.lanes.keys()].filter((lane) => processOfLane(trace, lane) === line.process));
}

interface Group {
  readonly name: string;
  readonly lane: number;
  readonly rows: RowIndex[];
}

/** ProfilerStep#7 and ProfilerStep#8 are of one name. */
const nameOf = (name: string): string => name.replace(/[#\s_-]*\d+$/, '');

function rangeGroups({ columns, names, count }: Trace, lanes: ReadonlySet<number>): Map<string, Group> {
  const groups = new Map<string, Group>();
  const shortNames = names.map((name) => (isInternal(name) ? '' : nameOf(name)));
  for (let row = 0; row < count; row += 1) {
    if (columns.kind[row] !== rangeKind || !((columns.durationNs[row] ?? 0) > 0)) continue;
    const name = shortNames[columns.name[row] ?? -1] ?? '';
    if (name === '') continue;
    const lane = columns.lane[row] ?? -1;
    if (!lanes.has(lane)) continue;
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

/** The ranges that hold most of the trace's CUDA calls; of those alike the longest, and of those the fewest. */
function mostCovering(trace: Trace, lanes: ReadonlySet<number>, candidates: readonly Group[]): Group | undefined {
  if (candidates.length === 0) return undefined;
  const calls = callStarts(trace, lanes);
  const scored = candidates.map((group) => {
    const held = group.rows.reduce((sum, row) => sum + countWithin(calls, startOf(trace, row), endOf(trace, row)), 0);
    return { group, held };
  });
  const most = Math.max(0, ...scored.map(({ held }) => held));
  if (most < calls.length / 4) return undefined;
  const good = scored.filter(({ held }) => held >= 0.9 * most);
  good.sort((a, b) => a.group.rows.length - b.group.rows.length);
  return good[0]?.group;
}

function callStarts({ columns, count }: Trace, lanes: ReadonlySet<number>): number[] {
  const starts: number[] = [];
  for (let row = 0; row < count; row += 1) {
    if (columns.kind[row] === callKind && lanes.has(columns.lane[row] ?? -1)) starts.push(columns.startNs[row] ?? 0);
  }
  return starts;
}

const rangesOf = (trace: Trace, rows: readonly RowIndex[]): MarkedRange[] =>
  rows.map((row) => ({
    name: trace.names[trace.columns.name[row] ?? -1] ?? 'step',
    startNs: startOf(trace, row),
    endNs: endOf(trace, row),
  }));

const callKind = rowKinds.indexOf('host-call');
const isDevice = Uint8Array.from(rowKinds, (kind) =>
  kind === 'kernel' || kind === 'copy' || kind === 'memset' ? 1 : 0,
);

/** Without marks: device activities whose names repeat with one period over most of the trace. */
function byRepetition(trace: Trace, lanes: ReadonlySet<number>): MarkedSteps | null {
  const { columns } = trace;
  const { rows, callOf } = issuedRows(trace, lanes);
  const ordered = inOrder(rows, (row) => startOf(trace, callOf(row)));
  const period = periodOf(ordered.map((row) => columns.name[row] ?? -1));
  if (period === null) return null;
  const firsts = Array.from({ length: Math.floor((ordered.length - period.from) / period.length) }, (_, index) =>
    callOf(ordered[period.from + index * period.length] ?? -1),
  );
  const ranges = firsts.slice(0, -1).map((row, index) => ({
    name: `step ${index + 1}`,
    startNs: startOf(trace, row),
    endNs: untilPause(trace, startOf(trace, row), startOf(trace, firsts[index + 1] ?? row)),
  }));
  if (ranges.length < 2) return null;
  const lane = columns.lane[firsts[0] ?? 0] ?? -1;
  return { ranges, lane, rule: `the same ${period.length} device activities again and again` };
}

const untilPause = (trace: Trace, fromNs: number, toNs: number): number =>
  pauseWithin(trace, fromNs, toNs)?.fromNs ?? toNs;

/** What was put on the device by calls of these lanes, and the calls: of one number the last. */
function issuedRows(
  { columns: { correlation, kind, lane }, count }: Trace,
  lanes: ReadonlySet<number>,
): { readonly rows: Int32Array; readonly callOf: (row: RowIndex) => RowIndex } {
  const calls = new RowsByNumber(correlation, 0, count);
  for (let row = 0; row < count; row += 1) {
    const number = correlation[row] as number;
    if (kind[row] === callKind && number > 0 && lanes.has(lane[row] as number)) calls.set(number, row);
  }
  const callOf = (row: RowIndex): RowIndex =>
    (correlation[row] ?? 0) > 0 ? calls.get(correlation[row] as number) : -1;
  const isIssued = (row: RowIndex): boolean => isDevice[kind[row] as number] === 1 && callOf(row) >= 0;
  let issued = 0;
  for (let row = 0; row < count; row += 1) if (isIssued(row)) issued += 1;
  const rows = new Int32Array(issued);
  for (let [row, place] = [0, 0]; row < count; row += 1) {
    if (!isIssued(row)) continue;
    rows[place] = row;
    place += 1;
  }
  return { rows, callOf };
}

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
