/**
 * Activity of host threads over time: the innermost of the nested rows on a thread, and information from the rows
 * around it. Parts of a step, and work between two calls, are derived from it.
 */
import { countWithin, lowerBound } from '../lowerBound.ts';
import { rowDirection, rowKind } from '../trace/iteration.ts';
import { isOsRuntimeName } from '../trace/rangeNames.ts';
import { rowEndNs } from '../trace/rows.ts';
import { memoryKinds, type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import { isAllocation, isHostCommunication, isLoader, isOperator, isPinning } from './classes.ts';
import type { HostLine } from './hostLine.ts';
import type { Initialisation } from './initialisation.ts';
import type { HostSpan, StepPart } from './parts.ts';
import type { Ran } from './script.ts';

/** Shorter spans between calls belong to the framework, however few of its operators were recorded in them. */
export const leastOwnNs = 100_000;

/** An operator that launches kernels doesn't issue for so long at a stretch: it works itself. */
export const longInsideNs = 500_000;

/** A span of one thread with the same innermost row. */
interface Segment {
  readonly startNs: number;
  readonly endNs: number;
  readonly row: RowIndex;
  /** Null if only outer rows tell the part: in a range of the program, or a Python function. */
  readonly part: StepPart | null;
  /** Duration of the whole operator if it issues no work; otherwise 0. */
  readonly operatorNs: number;
}

export interface LoaderRange {
  readonly startNs: number;
  readonly endNs: number;
  readonly name: string;
}

const codes = Object.fromEntries(rowKinds.map((kind, code) => [kind, code])) as Record<
  (typeof rowKinds)[number],
  number
>;

/** Meaning of a range's name. */
type Sort = 'operator' | 'loader' | 'communication' | 'other' | 'none';

function sortOf(name: string): Sort {
  if (isOsRuntimeName(name)) return 'none';
  if (isLoader(name)) return 'loader';
  if (isHostCommunication(name)) return 'communication';
  return isOperator(name) ? 'operator' : 'other';
}

export class HostActivity {
  readonly #trace: Trace;
  readonly #line: HostLine;
  readonly #segments: readonly Segment[];
  readonly #initialisation: Initialisation;
  readonly #issuing: Float64Array;
  /** Outermost, in order of start. */
  readonly loaders: readonly LoaderRange[];

  /** Reads the line's threads within a time. `marks` are names of ranges that are steps, which tell nothing more. */
  constructor(
    trace: Trace,
    line: HostLine,
    initialisation: Initialisation,
    { fromNs, toNs, marks }: { readonly fromNs: number; readonly toNs: number; readonly marks: ReadonlySet<string> },
  ) {
    this.#trace = trace;
    this.#line = line;
    this.#initialisation = initialisation;
    this.#issuing = issuingStarts(line);
    const sorts = trace.names.map((name) => (marks.has(name) ? 'none' : sortOf(name)));
    const lanes = new Map(line.lanes.map((lane) => [lane, new LaneSweep(trace, this, sorts, fromNs, toNs)]));
    const { kind, lane, startNs, durationNs, name } = trace.columns;
    for (let row = 0; row < trace.count; row += 1) {
      const start = startNs[row] as number;
      if (start >= toNs) break;
      const isHost =
        kind[row] === codes['host-range'] || kind[row] === codes['host-call'] || kind[row] === codes['host-sync'];
      if (!isHost || !((durationNs[row] as number) > 0) || start + (durationNs[row] as number) <= fromNs) continue;
      if (kind[row] === codes['host-range'] && sorts[name[row] as number] === 'none') continue;
      lanes.get(lane[row] as number)?.add(row);
    }
    const swept = [...lanes.values()];
    this.#segments = swept.flatMap((one) => one.finish()).sort((a, b) => a.startNs - b.startNs);
    this.loaders = swept.flatMap((one) => one.loaders).sort((a, b) => a.startNs - b.startNs);
  }

  /** Returns whether a call that issues work begins in it. */
  issues(row: RowIndex): boolean {
    return countWithin(this.#issuing, this.#trace.columns.startNs[row] ?? 0, rowEndNs(this.#trace, row)) > 0;
  }

  /** Returns the part that a call belongs to. */
  callPart(row: RowIndex): StepPart {
    if (rowKind(this.#trace, row) === 'host-sync') return 'waiting';
    if (this.#initialisation.has(row)) return 'issuing';
    if (isAllocation(this.nameOf(row))) return 'allocation';
    const copy = this.#line.calls.activityOf(row);
    return copy >= 0 && isStaged(this.#trace, copy) ? 'exposed-copy-pageable' : 'issuing';
  }

  /** Returns when a copy to the host began on the device, if its call waited for that; otherwise no time of its own. */
  waitsUntilNs(row: RowIndex): number {
    const copy = this.#line.calls.activityOf(row);
    const { kind, startNs } = this.#trace.columns;
    if (copy < 0 || kind[copy] !== codes.copy || rowDirection(this.#trace, copy) !== 'd2h') return 0;
    return Math.min(startNs[copy] ?? 0, rowEndNs(this.#trace, row));
  }

  /** Returns whether a call within another counts by itself. */
  isKnown(row: RowIndex): boolean {
    return this.#initialisation.has(row);
  }

  /** Returns loader ranges that overlap this time. */
  loadersBetween(fromNs: number, toNs: number): readonly LoaderRange[] {
    const { loaders } = this;
    let from = lowerBound(0, loaders.length, (at) => (loaders[at]?.startNs ?? 0) < fromNs);
    while (from > 0 && (loaders[from - 1]?.endNs ?? 0) > fromNs) from -= 1;
    const to = lowerBound(from, loaders.length, (at) => (loaders[at]?.startNs ?? 0) < toNs);
    return loaders.slice(from, to);
  }

  /**
   * Returns spans for the split of a step into parts. `isOwn` returns whether a moment lies in the program's own work,
   * where short operators count too.
   */
  spans(fromNs: number, toNs: number, isOwn: (ns: number) => boolean): HostSpan[] {
    const spans: HostSpan[] = [];
    for (const { startNs, endNs, row, part, operatorNs } of this.#segments) {
      if (startNs >= toNs) break;
      if (endNs <= fromNs) continue;
      const isShort = part === 'host-operators' && operatorNs < leastOwnNs && !isOwn((startNs + endNs) / 2);
      const works = part === 'issuing' && !isCall(this.#trace, row) && endNs - startNs >= longInsideNs;
      spans.push({
        startNs,
        endNs,
        part: works ? 'own-host-work' : isShort ? 'issuing' : part,
        name: this.nameOf(row),
      });
    }
    return spans;
  }

  /** Returns what ran in this time by name, longest first. `otherwise` is the part for the rest. */
  ran(fromNs: number, toNs: number, otherwise: StepPart): readonly Ran[] {
    const times = new Map<string, { name: string; part: StepPart; ns: number }>();
    const segments = this.#segments;
    let at = lowerBound(0, segments.length, (index) => (segments[index]?.startNs ?? 0) < fromNs);
    // Segments of one thread follow one another, so the segment before may overlap.
    while (at > 0 && (segments[at - 1]?.endNs ?? 0) > fromNs) at -= 1;
    for (; at < segments.length; at += 1) {
      const { startNs, endNs, row, part = otherwise } = segments[at] as Segment;
      if (startNs >= toNs) break;
      const ns = Math.min(endNs, toNs) - Math.max(startNs, fromNs);
      if (!(ns > 0)) continue;
      const name = this.nameOf(row);
      const key = `${part} ${name}`;
      const known = times.get(key) ?? { name, part: part ?? otherwise, ns: 0 };
      known.ns += ns;
      times.set(key, known);
    }
    return [...times.values()].sort((a, b) => b.ns - a.ns).slice(0, mostRan);
  }

  nameOf(row: RowIndex): string {
    return this.#trace.names[this.#trace.columns.name[row] ?? -1] ?? '';
  }
}

/** Limit of names kept for one span. */
const mostRan = 12;

const issuingStarts = ({ calls }: HostLine): Float64Array => {
  const starts: number[] = [];
  for (let place = 0; place < calls.length; place += 1) {
    if (calls.firstActivity(place) >= 0) starts.push(calls.startNs(place));
  }
  return Float64Array.from(starts);
};

/** Visits the rows of one thread in order of start, and tracks open rows. */
class LaneSweep {
  readonly loaders: LoaderRange[] = [];
  readonly #trace: Trace;
  readonly #activity: HostActivity;
  readonly #sorts: readonly Sort[];
  readonly #segments: Segment[] = [];
  readonly #open: Omit<Segment, 'startNs'>[] = [];
  readonly #toNs: number;
  #atNs: number;

  constructor(trace: Trace, activity: HostActivity, sorts: readonly Sort[], fromNs: number, toNs: number) {
    this.#trace = trace;
    this.#activity = activity;
    this.#sorts = sorts;
    this.#atNs = fromNs;
    this.#toNs = toNs;
  }

  add(row: RowIndex): void {
    const startNs = this.#trace.columns.startNs[row] ?? 0;
    this.#closeUntil(startNs);
    this.#emit(startNs);
    const around = this.#open.at(-1);
    const endNs = Math.min(rowEndNs(this.#trace, row), around?.endNs ?? Number.POSITIVE_INFINITY);
    // A call made inside another call counts as that call.
    if (around !== undefined && isCall(this.#trace, around.row) && !this.#activity.isKnown(row)) return;
    const part = this.#partOf(row, around?.part ?? null);
    if (part === 'loading-data' && around?.part !== 'loading-data' && this.#sort(row) === 'loader') {
      this.loaders.push({ startNs, endNs, name: this.#trace.names[this.#trace.columns.name[row] ?? -1] ?? '' });
    }
    const isOuter = part === 'host-operators' && around?.part !== part;
    const operatorNs = part !== 'host-operators' ? 0 : isOuter ? endNs - startNs : (around?.operatorNs ?? 0);
    // Operators within pinning count as pinning.
    const isPart = part === 'host-operators' && around !== undefined && isPinning(this.#activity.nameOf(around.row));
    this.#open.push({ row: isPart ? around.row : row, endNs, part, operatorNs });
    const untilNs = isCall(this.#trace, row) ? Math.min(endNs, this.#activity.waitsUntilNs(row)) : 0;
    if (untilNs > startNs) this.#open.push({ row, endNs: untilNs, part: 'waiting', operatorNs: 0 });
  }

  finish(): readonly Segment[] {
    this.#closeUntil(this.#toNs);
    this.#emit(this.#toNs);
    return this.#segments;
  }

  #sort(row: RowIndex): Sort {
    return isCall(this.#trace, row) ? 'other' : (this.#sorts[this.#trace.columns.name[row] ?? -1] ?? 'other');
  }

  #partOf(row: RowIndex, around: StepPart | null): StepPart | null {
    if (isCall(this.#trace, row)) {
      const part = this.#activity.callPart(row);
      // A loader's own calls to a device don't count as loading.
      return part === 'issuing' && around === 'loading-data' && !this.#activity.issues(row) ? around : part;
    }
    const sort = this.#sort(row);
    if (around === 'loading-data' || sort === 'loader') return 'loading-data';
    if (around === 'communication' || sort === 'communication') return 'communication';
    if (around === 'host-operators') return around;
    if (sort !== 'operator') return around;
    return this.#activity.issues(row) ? 'issuing' : 'host-operators';
  }

  #closeUntil(ns: number): void {
    for (let top = this.#open.at(-1); top !== undefined && top.endNs <= ns; top = this.#open.at(-1)) {
      this.#emit(top.endNs);
      this.#open.pop();
    }
  }

  #emit(untilNs: number): void {
    const top = this.#open.at(-1);
    const endNs = Math.min(untilNs, this.#toNs);
    if (top !== undefined && endNs > this.#atNs) {
      const { row, part, operatorNs } = top;
      this.#segments.push({ startNs: this.#atNs, endNs, row, part, operatorNs });
    }
    this.#atNs = Math.max(this.#atNs, endNs);
  }
}

/** Returns whether a copy blocks the host: its memory is pageable, or unknown. */
function isStaged(trace: Trace, row: RowIndex): boolean {
  const direction = trace.columns.kind[row] === codes.copy ? rowDirection(trace, row) : null;
  if (direction !== 'h2d' && direction !== 'd2h') return false;
  const { srcMemory, dstMemory } = trace.columns;
  const host = memoryKinds[(direction === 'h2d' ? srcMemory[row] : dstMemory[row]) ?? 0];
  return host === 'pageable' || host === 'unknown';
}

const isCall = ({ columns }: Trace, row: RowIndex): boolean =>
  columns.kind[row] === codes['host-call'] || columns.kind[row] === codes['host-sync'];
