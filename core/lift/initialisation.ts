/**
 * One-time work at the first use of a device: contexts, modules, code that loads when a kernel is first launched. It is
 * reported once and left out of steps, since no step repeats it.
 */
import { lowerBound } from '../lowerBound.ts';
import { median } from '../statistics.ts';
import { coveredLength, difference, type Intervals, length, noIntervals, union } from '../trace/intervals.ts';
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import { isAllocation, isInitialisation } from './classes.ts';
import type { HostLine } from './hostLine.ts';
import { type HostSpan, type NamedTime, namesOf } from './parts.ts';

/** Shorter calls can't be distinguished from calls that take long for other reasons. */
const leastNs = 1e6;
/** Limit for calls whose names don't show it: a launch may last some milliseconds for other reasons. */
const leastOthersNs = 20e6;
/** A first call that takes this many times as long as others of its name has loaded something. */
const outlier = 50;
/** Share of such a call in which the device is idle: during a wait for room in a queue it is busy. */
const idlePart = 0.9;

const codes = { call: rowKinds.indexOf('host-call'), copy: rowKinds.indexOf('copy') };

export class Initialisation {
  readonly #calls = new Set<RowIndex>();
  /** Times of initialisation with an idle device. */
  readonly times: Intervals = noIntervals;
  readonly names: readonly NamedTime[] = [];

  constructor(trace: Trace, line: HostLine) {
    const long = longCalls(trace, new Set(line.lanes));
    if (long.length === 0) return;
    const busy = busyBeside(trace, line, long);
    const tells = new Tells(trace, line);
    const found = long.filter((row) => {
      const [startNs, endNs] = [trace.columns.startNs[row] ?? 0, rowEndNs(trace, row)];
      return coveredLength(busy, startNs, endNs) <= (1 - idlePart) * (endNs - startNs) && tells.isFirstUse(row);
    });
    if (found.length === 0) return;
    const names = new Map<string, number>();
    for (const row of found) {
      this.#calls.add(row);
      const name = trace.names[trace.columns.name[row] ?? -1] ?? '';
      names.set(name, (names.get(name) ?? 0) + (trace.columns.durationNs[row] ?? 0));
    }
    const starts = found.map((row) => trace.columns.startNs[row] ?? 0);
    this.times = difference(
      union(
        starts,
        found.map((row) => rowEndNs(trace, row)),
      ),
      busy,
    );
    this.names = namesOf(names);
  }

  has(call: RowIndex): boolean {
    return this.#calls.has(call);
  }

  get ns(): number {
    return length(this.times);
  }

  /** Returns the begins and ends of these times within a span, in order. */
  edgesBetween(fromNs: number, toNs: number): Intervals {
    const at = (ns: number): number => lowerBound(0, this.times.length, (index) => (this.times[index] ?? 0) < ns);
    return this.times.subarray(at(fromNs), at(toNs));
  }

  /** Returns spans for the split of a step into parts. */
  spans(): HostSpan[] {
    return Array.from({ length: this.times.length / 2 }, (_, index) => ({
      startNs: this.times[2 * index] ?? 0,
      endNs: this.times[2 * index + 1] ?? 0,
      part: 'initialisation' as const,
    }));
  }

  nsWithin(fromNs: number, toNs: number): number {
    return coveredLength(this.times, fromNs, toNs);
  }
}

function longCalls({ columns: { kind, durationNs, lane }, count }: Trace, lanes: ReadonlySet<number>): RowIndex[] {
  const rows: RowIndex[] = [];
  for (let row = 0; row < count; row += 1) {
    if (kind[row] === codes.call && (durationNs[row] as number) >= leastNs && lanes.has(lane[row] as number))
      rows.push(row);
  }
  return rows;
}

/** Returns when the line's streams were busy during one of these calls. */
function busyBeside(trace: Trace, { streams, device }: HostLine, calls: readonly RowIndex[]): Intervals {
  const { lane, startNs } = trace.columns;
  const [starts, ends]: [number[], number[]] = [[], []];
  const around = union(
    calls.map((row) => startNs[row] ?? 0),
    calls.map((row) => rowEndNs(trace, row)),
  );
  for (const row of device) {
    if (!streams.has(lane[row] as number)) continue;
    if (coveredLength(around, startNs[row] as number, rowEndNs(trace, row)) === 0) continue;
    starts.push(startNs[row] as number);
    ends.push(rowEndNs(trace, row));
  }
  return union(starts, ends);
}

/** Decides whether a long call is a first use. */
class Tells {
  readonly #trace: Trace;
  readonly #line: HostLine;
  readonly #durations = new Map<number, readonly number[]>();
  #firsts: ReadonlyMap<number, RowIndex> | null = null;

  constructor(trace: Trace, line: HostLine) {
    this.#trace = trace;
    this.#line = line;
  }

  isFirstUse(row: RowIndex): boolean {
    const { columns, names } = this.#trace;
    const name = names[columns.name[row] ?? -1] ?? '';
    if (isInitialisation(name)) return true;
    const { calls } = this.#line;
    // Programs make a context with cudaFree(0), before any work is issued.
    if (isAllocation(name)) return /Free$/.test(name) && row < (this.#firstCalls.get(-1) ?? -1);
    if ((columns.durationNs[row] ?? 0) < leastOthersNs) return false;
    const activity = calls.activityOf(row);
    if (activity >= 0 && columns.kind[activity] === codes.copy) return false;
    // A kernel's code is loaded at its first launch.
    if (activity >= 0 && this.#firstCalls.get(columns.name[activity] ?? -1) !== row) return false;
    return this.#isOutlier(row, activity >= 0);
  }

  /** First call for each name of first activity; under -1 the first of all calls. */
  get #firstCalls(): ReadonlyMap<number, RowIndex> {
    if (this.#firsts !== null) return this.#firsts;
    const { calls } = this.#line;
    const firsts = new Map<number, RowIndex>();
    for (let place = 0; place < calls.length; place += 1) {
      const activity = calls.firstActivity(place);
      if (activity < 0) continue;
      const row = calls.rows[place] ?? -1;
      const name = this.#trace.columns.name[activity] ?? -1;
      if (firsts.size === 0) firsts.set(-1, row);
      if (!firsts.has(name)) firsts.set(name, row);
    }
    this.#firsts = firsts;
    return firsts;
  }

  /** A launch is compared with other launches; other calls may be the only one of their name. */
  #isOutlier(row: RowIndex, needsOthers: boolean): boolean {
    const { name, durationNs } = this.#trace.columns;
    const all = this.#durationsOf(name[row] ?? -1);
    if (all.length < 3) return !needsOthers;
    return (durationNs[row] ?? 0) > outlier * median(all);
  }

  #durationsOf(name: number): readonly number[] {
    const known = this.#durations.get(name);
    if (known !== undefined) return known;
    const { columns, count } = this.#trace;
    const found: number[] = [];
    for (let row = 0; row < count; row += 1) {
      if (columns.name[row] === name && columns.kind[row] === codes.call) found.push(columns.durationNs[row] ?? 0);
    }
    this.#durations.set(name, found);
    return found;
  }
}
