/** An opened run: its trace, its summary, and an indexed view of each iteration that is shown. */
import { numbersById } from '../../../core/experiment/edit/paths.ts';
import { type Flow, flowsOf } from '../../../core/explain/figures/flows.ts';
import { type LaneCounter, laneCounters } from '../../../core/explain/figures/laneCounters.ts';
import {
  type AttainableBandwidth,
  type OperationRow,
  operationRows,
} from '../../../core/explain/figures/operations.ts';
import type { WindowSummary } from '../../../core/explain/summary/windowSummary.ts';
import type { Verdict } from '../../../core/explain/verdicts/verdict.ts';
import { Counter } from '../../../core/trace/counter.ts';
import { type Iteration, iterationOf } from '../../../core/trace/iteration.ts';
import { LaneIndex } from '../../../core/trace/laneIndex.ts';
import { iterationsOf, type RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import type { HostFile } from '../../common/session.ts';
import { Bandwidth, type Link } from './bandwidth.ts';
import { type IterationData, indexIteration } from './iterationData.ts';
import { type MissedRows, missedRows } from './missed.ts';

/** Results for a large run that come after its lanes. */
export interface RunAnalysis {
  readonly summary: WindowSummary;
  /** Counters of the representative iteration. */
  readonly counters: readonly LaneCounter[];
}

export interface OpenCalls {
  open(file: HostFile): Promise<{
    readonly run: Run;
    /** The representative iteration. */
    readonly iteration: IterationData;
    /** Argument for analysis(); null if the run is small enough for the window to analyse. */
    readonly ticket: number | null;
  }>;
  analysis(ticket: number): RunAnalysis;
  /** Returns the verdict on a copy that is not among the costliest; null if it has none. */
  verdict(ticket: number, row: RowIndex): Verdict | null;
}

export interface OpenEvents {
  /** The share of a run's copies that is judged. */
  judged(ticket: number, share: number): void;
}

/** The worker summarises iterations with more rows. */
const mostDetailedRows = 20_000;
/** Iterations with more rows get no verdicts, which take memory for each copy. */
export const mostJudgedRows = 2_000_000;

export const isDetailed = ({ from, to }: RowRange): boolean => to - from <= mostDetailedRows;

/** Known facts about a run besides its trace. */
export interface KnownOfRun {
  /** The previous prediction's summary may stay until this run has its own. */
  readonly summary?: WindowSummary | null;
  /** Counters of the indexed iteration. If neither they nor the summary are given, both come later. */
  readonly counters?: readonly LaneCounter[];
  /** Rates from the profile of the run's machine. */
  readonly attainable?: AttainableBandwidth | undefined;
  /** Returns verdicts that the summary leaves out; not given if it has all. */
  readonly verdictOf?: ((row: RowIndex) => Promise<Verdict | null>) | undefined;
}

/** Iterations with more rows have no joins of rows with their calls. */
const mostJoinedRows = 1_000_000;

/** A copy so large that its latency is negligible. */
const largeCopyBytes = 2 ** 30;

/** A class, so that the store treats it as opaque: it never changes, and is too large to traverse. */
export class LoadedRun {
  readonly id: string;
  readonly run: Run;
  /** Null until it is made: a large run's summary comes after its lanes. */
  readonly summary: WindowSummary | null;
  /** Recorded iterations in order. */
  readonly iterations: readonly number[];
  readonly #views: Map<number, IterationView>;
  readonly #attainable: AttainableBandwidth | undefined;
  readonly verdictOf: KnownOfRun['verdictOf'];
  /** The representative one. */
  #iteration: Iteration | null = null;
  #missed: MissedRows | null = null;

  constructor(id: string, run: Run, indexed: IterationData, known: KnownOfRun) {
    const { summary = null, counters = summary === null ? [] : null, attainable, verdictOf } = known;
    this.id = id;
    this.run = run;
    this.summary = summary;
    this.#attainable = attainable;
    this.verdictOf = verdictOf;
    this.iterations = iterationsOf(run.trace);
    this.#views = new Map([[indexed.number, new IterationView(run, indexed, counters)]]);
  }

  /** Returns each occurrence of an operation in the representative iteration, which is indexed at the first call. */
  operationsOf(op: number): readonly OperationRow[] {
    this.#iteration ??= iterationOf(this.run.trace, this.run.info.iterations.representative);
    const { begin, end } = this.#iteration;
    return end - begin > mostJoinedRows ? [] : operationRows(this.#iteration, { op, attainable: this.#attainable });
  }

  /** Returns the number of an operation in the run's rows, or null if its program has no operation with this id. */
  opOf(id: string): number | null {
    const { experiment } = this.run.info;
    return experiment === null ? null : (numbersById(experiment).get(id) ?? null);
  }

  /** Returns the link's maximum rate in one direction in bytes per second, or null without a profile. */
  linkLimit(direction: 'h2d' | 'd2h'): number | null {
    return this.#attainable?.(direction, 'pinned', largeCopyBytes) ?? null;
  }

  get verdicts(): WindowSummary['verdicts'] {
    return this.summary?.verdicts ?? [];
  }

  /** Activities that could have overlapped and didn't. */
  get missed(): MissedRows {
    this.#missed ??= missedRows(this, this.view(null).rows);
    return this.#missed;
  }

  withSummary(summary: WindowSummary, counters: readonly LaneCounter[]): LoadedRun {
    const known = { summary, counters, attainable: this.#attainable, verdictOf: this.verdictOf };
    return new LoadedRun(this.id, this.run, this.view(null).data, known);
  }

  /** Returns the run with rates from another profile of its machine, and the new summary. */
  withAttainable(attainable: AttainableBandwidth | undefined, summary: WindowSummary): LoadedRun {
    const { data, counters } = this.view(null);
    const known = { summary, counters: counters.map(({ of }) => of), attainable, verdictOf: this.verdictOf };
    return new LoadedRun(this.id, this.run, data, known);
  }

  /** Returns the view of an iteration; the representative one for null or if it was not recorded. */
  view(iteration: number | null): IterationView {
    const fallback = this.run.info.iterations.representative;
    const number = iteration !== null && this.iterations.includes(iteration) ? iteration : fallback;
    const known = this.#views.get(number);
    if (known !== undefined) return known;
    const made = new IterationView(this.run, indexIteration(this.run.trace, number));
    this.#views.set(number, made);
    return made;
  }
}

/** A counter with its source. */
export interface DrawnCounter {
  readonly of: LaneCounter;
  readonly counter: Counter;
}

const drawn = (of: LaneCounter): DrawnCounter => ({ of, counter: new Counter(of.data) });

/** One iteration, ready for drawing and for finding the activity under the pointer. */
export class IterationView {
  readonly run: Run;
  readonly data: IterationData;
  /** Lanes by position in trace.lanes. */
  readonly lanes: readonly LaneIndex[];
  readonly links: readonly Link[];
  #counters: readonly DrawnCounter[] | null;

  /** Null counters are made at the first access. */
  constructor(run: Run, data: IterationData, counters: readonly LaneCounter[] | null = null) {
    this.run = run;
    this.#counters = counters?.map(drawn) ?? null;
    this.data = data;
    this.lanes = data.lanes.map((lane) => new LaneIndex(lane));
    this.links = data.links.map(({ data: own, ...name }) => ({ ...name, bandwidth: new Bandwidth(own) }));
  }

  get number(): number {
    return this.data.number;
  }

  get rows(): RowRange {
    return this.data.rows;
  }

  get makespanNs(): number {
    return this.data.makespanNs;
  }

  /** Queues and memory over time. */
  get counters(): readonly DrawnCounter[] {
    this.#counters ??= laneCounters(this.run, this.number).map(drawn);
    return this.#counters;
  }

  /** Returns the causes and effects of a row, and the other activities of its call. */
  flows(row: RowIndex): readonly Flow[] {
    return flowsOf(this.run.trace, this.rows, this.run.info.experiment, row);
  }

  /** Returns the rows that flows join with a row. */
  partners(row: RowIndex): readonly RowIndex[] {
    const ends = this.flows(row).flatMap(({ from, to }) => [from, to]);
    return [...new Set(ends)].filter((end) => end !== row);
  }
}
