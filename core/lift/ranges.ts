/** Host ranges of a trace: how many a profiler recorded in a span, and the framework call around a CUDA call. */
import { groupBy } from '../groupBy.ts';
import { countWithin, lowerBound } from '../lowerBound.ts';
import { framesOfName, frameText, isCallStackName, ownFrame } from '../trace/callStack.ts';
import { isFrameName, isOsRuntimeName } from '../trace/rangeNames.ts';
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import type { Call } from './calls.ts';
import type { HostLine } from './hostLine.ts';
import { torchProfiler } from './profilerCost.ts';
import type { Recorded } from './script.ts';

const waitKind = rowKinds.indexOf('host-sync');
/** Framework calls whose main work is a copy between host and device. */
const copying = /^aten::(to|_to_copy|copy_|cpu|cuda|item|_local_scalar_dense|nonzero|is_nonzero|equal)$/;

/** Framework calls that join tensors. */
const joining = /^aten::(stack|cat|concat|concatenate|_cat)$/;

function kindOf(name: string): 'os-call' | 'frame' | 'copying' | 'joining' | 'operator' {
  if (isOsRuntimeName(name)) return 'os-call';
  if (isFrameName(name) || isCallStackName(name)) return 'frame';
  if (copying.test(name)) return 'copying';
  return joining.test(name) ? 'joining' : 'operator';
}

/** A framework call around a copy, with its wait. */
export interface CopySpan {
  /** Outermost framework call of the copy. */
  readonly operator?: string;
  readonly startNs: number;
  readonly endNs: number;
}

/** Operators of a framework. A range marked by the program, such as a step, contains calls of its own. */
const frameworkCall = /^(aten|autograd|torch)::/;

/** Returns the outermost rows of each lane. `rows` are in order of start, then longer first. */
function outermostOf(
  trace: Trace,
  rows: readonly RowIndex[],
): { readonly startNs: Float64Array; readonly endNs: Float64Array } {
  const { startNs, lane } = trace.columns;
  const until = new Map<number, number>();
  const found = rows.filter((row) => {
    if ((startNs[row] ?? 0) < (until.get(lane[row] ?? -1) ?? Number.NEGATIVE_INFINITY)) return false;
    until.set(lane[row] ?? -1, rowEndNs(trace, row));
    return true;
  });
  return {
    startNs: Float64Array.from(found, (row) => startNs[row] ?? 0),
    endNs: Float64Array.from(found, (row) => rowEndNs(trace, row)),
  };
}

/** Returns begins and ends of rows, in order of time. */
function edgesOf(trace: Trace, rows: readonly RowIndex[]): Float64Array {
  const edges = new Float64Array(2 * rows.length);
  for (const [place, row] of rows.entries()) {
    edges[2 * place] = trace.columns.startNs[row] ?? 0;
    edges[2 * place + 1] = rowEndNs(trace, row);
  }
  return edges.sort();
}

/** Rows in order of start, nested within their own lane. */
class LaneNesting {
  readonly #trace: Trace;
  readonly #lanes = new Map<number, { readonly rows: readonly RowIndex[]; readonly nesting: Nesting }>();

  constructor(trace: Trace, rows: readonly RowIndex[]) {
    this.#trace = trace;
    for (const [lane, own] of groupBy(rows, (row) => trace.columns.lane[row] ?? -1)) {
      const nesting = new Nesting(
        own.length,
        (index) => trace.columns.startNs[own[index] ?? 0] ?? 0,
        (index) => rowEndNs(trace, own[index] ?? 0),
      );
      this.#lanes.set(lane, { rows: own, nesting });
    }
  }

  /** Yields rows in the lane of `row` that contain the whole time, the latest start first. */
  *holding(row: RowIndex, fromNs: number, toNs: number): Generator<RowIndex> {
    const lane = this.#lanes.get(this.#trace.columns.lane[row] ?? -1);
    if (lane === undefined) return;
    for (const index of lane.nesting.holding(fromNs, toNs)) yield lane.rows[index] ?? 0;
  }
}

export class HostRanges {
  readonly #trace: Trace;
  readonly #edges: Record<'operators' | 'framework' | 'frames', Float64Array>;
  /** Outermost operators, in order of start. */
  readonly #operators: { readonly startNs: Float64Array; readonly endNs: Float64Array };
  readonly #copying: RowIndex[] = [];
  /** Whether the trace has framework calls of copies. */
  readonly #marksCopies: boolean;
  readonly #joining: LaneNesting;
  readonly #frames: RowIndex[] = [];
  /** Created on first use. */
  #nestedFrames: LaneNesting | null = null;

  /** Includes ranges of the line's threads that overlap this time. */
  constructor(
    trace: Trace,
    { lanes, ranges }: Pick<HostLine, 'lanes' | 'ranges'>,
    { fromNs, toNs }: { readonly fromNs: number; readonly toNs: number },
  ) {
    this.#trace = trace;
    const { columns, names } = trace;
    const kinds = names.map(kindOf);
    const own = new Set(lanes);
    const joinedRows: RowIndex[] = [];
    const operators: RowIndex[] = [];
    const framework: RowIndex[] = [];
    const isFramework = names.map((name) => frameworkCall.test(name));
    let marksCopies = false;
    for (const row of ranges) {
      if (!own.has(columns.lane[row] as number)) continue;
      const kind = kinds[columns.name[row] as number];
      if (kind === 'copying') marksCopies = true;
      const isWithin = (columns.startNs[row] as number) <= toNs && rowEndNs(trace, row) >= fromNs;
      if (!isWithin || kind === 'os-call') continue;
      if (kind === 'frame') this.#frames.push(row);
      else if (kind === 'copying') this.#copying.push(row);
      else if (kind === 'joining') joinedRows.push(row);
      if (kind === 'frame') continue;
      operators.push(row);
      if (isFramework[columns.name[row] ?? -1] === true) framework.push(row);
    }
    this.#marksCopies = marksCopies;
    this.#joining = new LaneNesting(trace, joinedRows);
    this.#operators = outermostOf(trace, framework);
    this.#edges = {
      operators: edgesOf(trace, operators),
      framework: edgesOf(trace, framework),
      frames: edgesOf(trace, this.#frames),
    };
  }

  /** Counts what was recorded in this time. Each begin and each end counts half. */
  recorded(fromNs: number, toNs: number): Omit<Recorded, 'calls'> {
    const { operators, frames } = this.#edges;
    return { operators: countWithin(operators, fromNs, toNs) / 2, frames: countWithin(frames, fromNs, toNs) / 2 };
  }

  /** Returns whether a framework operator begins or ends in this time. The program's own marks don't count. */
  hasOperators(fromNs: number, toNs: number): boolean {
    const edges = this.#edges.framework;
    const next = lowerBound(0, edges.length, (index) => (edges[index] ?? 0) <= fromNs);
    return (edges[next] ?? Number.POSITIVE_INFINITY) < toNs;
  }

  /** Returns the time in outermost framework operators that lie inside. */
  insideNs(fromNs: number, toNs: number): number {
    const { startNs, endNs } = this.#operators;
    let sum = 0;
    for (let i = lowerBound(0, startNs.length, (k) => (startNs[k] ?? 0) < fromNs); i < startNs.length; i += 1) {
      const [start, end] = [startNs[i] ?? 0, endNs[i] ?? 0];
      if (start >= toNs) break;
      if (end <= toNs) sum += end - start;
    }
    return sum;
  }

  /**
   * Returns the total of times of at least `leastNs` without operators and outside them. Python may run in them: a trace
   * with stacks tells the same as one without, so the cost of its frames doesn't count.
   */
  silentNs(fromNs: number, toNs: number, leastNs: number): number {
    const { operators, frames } = this.#edges;
    const at = lowerBound(0, operators.length, (i) => (operators[i] ?? 0) < fromNs);
    const edges = [fromNs];
    for (let place = at; place < operators.length && (operators[place] ?? 0) < toNs; place += 1)
      edges.push(operators[place] ?? 0);
    return [...edges, toNs].reduce((sum, edge, place) => {
      const before = edges[place - 1] ?? edge;
      const ns = edge - before - (countWithin(frames, before, edge) / 2) * torchProfiler.frameNs;
      return ns < leastNs || this.isInside((before + edge) / 2) ? sum : sum + edge - before;
    }, 0);
  }

  /** Returns whether a moment lies in a framework operator. */
  isInside(ns: number): boolean {
    const { startNs, endNs } = this.#operators;
    const after = lowerBound(0, startNs.length, (i) => (startNs[i] ?? 0) <= ns);
    return after > 0 && (endNs[after - 1] ?? 0) > ns;
  }

  /** Returns the outermost framework call of a copy around `call`, or the call itself with its own wait. */
  copySpan({ row, startNs, endNs }: Call): CopySpan {
    const { columns, names } = this.#trace;
    const lane = columns.lane[row];
    const rows = this.#copying;
    const upTo = lowerBound(0, rows.length, (i) => (columns.startNs[rows[i] ?? 0] ?? 0) <= startNs);
    let span: CopySpan = { startNs, endNs };
    for (let index = upTo - 1; index >= 0 && index > upTo - 16; index -= 1) {
      const at = rows[index] ?? 0;
      if (columns.lane[at] !== lane || rowEndNs(this.#trace, at) < endNs) continue;
      const operator = names[columns.name[at] ?? -1] ?? '';
      span = { startNs: columns.startNs[at] ?? 0, endNs: rowEndNs(this.#trace, at), operator };
    }
    return this.#marksCopies ? span : this.#withOwnWait(row, span);
  }

  /** Without framework calls, joins a copy and a following wait if one line of the program makes both. */
  #withOwnWait(row: RowIndex, span: CopySpan): CopySpan {
    const { columns, names } = this.#trace;
    const rows = this.#frames;
    const upTo = lowerBound(0, rows.length, (i) => (columns.startNs[rows[i] ?? 0] ?? 0) <= span.startNs);
    const ofLane = (from: number, step: 1 | -1): number => {
      let at = from;
      while (at >= 0 && at < rows.length && columns.lane[rows[at] ?? 0] !== columns.lane[row]) at += step;
      return rows[at] ?? -1;
    };
    const [own, next] = [ofLane(upTo - 1, -1), ofLane(upTo, 1)];
    if (own < 0 || next < 0 || rowEndNs(this.#trace, own) < span.endNs) return span;
    const name = columns.name[own] ?? -1;
    if (columns.name[next] !== name || !isCallStackName(names[name] ?? '')) return span;
    return this.#holdsWait(next) ? { ...span, endNs: rowEndNs(this.#trace, next) } : span;
  }

  /** Returns whether a stack belongs to a waiting call, which begins with it or soon after and ends with it. */
  #holdsWait(stack: RowIndex): boolean {
    const { columns, count } = this.#trace;
    const endNs = rowEndNs(this.#trace, stack);
    for (let row = stack + 1; row < count && (columns.startNs[row] ?? 0) <= endNs; row += 1) {
      if (columns.kind[row] === waitKind && columns.lane[row] === columns.lane[stack]) {
        return rowEndNs(this.#trace, row) === endNs;
      }
    }
    return false;
  }

  /** Returns the framework call around a call that joins tensors; null if there is none. */
  joinSpan({ row, startNs, endNs }: Call): CopySpan | null {
    const outermost = [...this.#joining.holding(row, startNs, endNs)].at(-1);
    if (outermost === undefined) return null;
    return { startNs: this.#trace.columns.startNs[outermost] ?? 0, endNs: rowEndNs(this.#trace, outermost) };
  }

  /** Returns the user's line around a call, such as 'train.py:44 in step'; empty if the trace has no stacks. */
  line({ row, startNs, endNs }: Call): string {
    const { columns, names } = this.#trace;
    this.#nestedFrames ??= new LaneNesting(this.#trace, this.#frames);
    for (const at of this.#nestedFrames.holding(row, startNs, endNs)) {
      const own = ownFrame(framesOfName(names[columns.name[at] ?? -1] ?? ''));
      if (own !== undefined) return frameText(own);
    }
    return '';
  }
}

/**
 * Spans of time that mostly nest, like calls inside calls. Finds the spans around a moment without visiting those that
 * are over: each span has a link to the last one that was open when it began.
 */
export class Nesting {
  readonly #count: number;
  readonly #startOf: (index: number) => number;
  readonly #endOf: (index: number) => number;
  /** Span that was open at each span's begin; -1 if there is none. */
  readonly #around: Int32Array;

  /** In order of start. */
  constructor(count: number, startOf: (index: number) => number, endOf: (index: number) => number) {
    this.#count = count;
    this.#startOf = startOf;
    this.#endOf = endOf;
    this.#around = new Int32Array(count);
    let open = -1;
    for (let index = 0; index < count; index += 1) {
      const startNs = startOf(index);
      while (open >= 0 && endOf(open) < startNs) open = this.#around[open] ?? -1;
      this.#around[index] = open;
      open = index;
    }
  }

  /** Yields spans that contain `fromNs` to `toNs`, the latest start first. */
  *holding(fromNs: number, toNs: number): Generator<number> {
    const begun = lowerBound(0, this.#count, (index) => this.#startOf(index) <= fromNs);
    for (let index = begun - 1; index >= 0; index = this.#around[index] ?? -1) {
      if (this.#endOf(index) >= toNs) yield index;
    }
  }
}
