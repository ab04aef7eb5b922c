/** A run that was opened: its trace, its summary, and for each iteration that is looked at what the lanes are drawn from. */
import { numbersById } from '../../../core/experiment/edit/paths.ts';
import { type Flow, flowsOf } from '../../../core/figures/flows.ts';
import { type LaneCounter, laneCounters } from '../../../core/figures/laneCounters.ts';
import { type AttainableBandwidth, type OperationRow, operationRows } from '../../../core/figures/operations.ts';
import type { WindowSummary } from '../../../core/summary/windowSummary.ts';
import { Counter } from '../../../core/trace/counter.ts';
import { type Iteration, iterationOf } from '../../../core/trace/iteration.ts';
import { LaneIndex } from '../../../core/trace/laneIndex.ts';
import { iterationsOf, type RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { Bandwidth } from './bandwidth.ts';
import { type IterationData, indexIteration } from './iterationData.ts';
import type { Link } from './links.ts';
import { type MissedRows, missedRows } from './missed.ts';

/** What is known of a run beside its trace, as far as it is. */
export interface KnownOfRun {
  /** That of the run before may stay until this run's own is there. */
  readonly summary?: WindowSummary | null;
  /** Of the indexed iteration; where neither they nor the summary are given, both follow. */
  readonly counters?: readonly LaneCounter[];
  /** From the profile of the run's machine. */
  readonly attainable?: AttainableBandwidth | undefined;
}

/** Of iterations with more rows nothing is told that rests on every row's call. */
const mostJoinedRows = 1_000_000;

/** A copy so large that its latency is nothing beside it. */
const largeCopyBytes = 2 ** 30;

/** A class, so that the store keeps it as it is: it is never changed, and too large to be walked. */
export class LoadedRun {
  readonly id: string;
  readonly run: Run;
  /** Null until it was made: that of a large run follows its lanes. */
  readonly summary: WindowSummary | null;
  /** Recorded iterations, in order. */
  readonly iterations: readonly number[];
  readonly #views: Map<number, IterationView>;
  readonly #attainable: AttainableBandwidth | undefined;
  /** The representative one. */
  #iteration: Iteration | null = null;
  #missed: MissedRows | null = null;

  constructor(id: string, run: Run, indexed: IterationData, known: KnownOfRun) {
    const { summary = null, counters = summary === null ? [] : null, attainable } = known;
    this.id = id;
    this.run = run;
    this.summary = summary;
    this.#attainable = attainable;
    this.iterations = iterationsOf(run.trace);
    this.#views = new Map([[indexed.number, new IterationView(run, indexed, counters)]]);
  }

  /** Each time that an operation ran in the representative iteration. Worked out for the one that is looked at. */
  operationsOf(op: number): readonly OperationRow[] {
    this.#iteration ??= iterationOf(this.run.trace, this.run.info.iterations.representative);
    const { begin, end } = this.#iteration;
    return end - begin > mostJoinedRows ? [] : operationRows(this.#iteration, { op, attainable: this.#attainable });
  }

  /** The number by which its rows name an operation; null if its program has no operation of this id. */
  opOf(id: string): number | null {
    const { experiment } = this.run.info;
    return experiment === null ? null : (numbersById(experiment).get(id) ?? null);
  }

  /** What the link of the run's machine gives one way at best, in bytes per second; null where no profile tells. */
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
    const known = { summary, counters, attainable: this.#attainable };
    return new LoadedRun(this.id, this.run, this.view(null).data, known);
  }

  /** With what another profile says of the run's machine, and the summary that this makes. */
  withAttainable(attainable: AttainableBandwidth | undefined, summary: WindowSummary): LoadedRun {
    const { data, counters } = this.view(null);
    return new LoadedRun(this.id, this.run, data, { summary, counters: counters.map(({ of }) => of), attainable });
  }

  /** The representative iteration where `iteration` is null or was not recorded. */
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

/** A counter with what answers for it. */
export interface DrawnCounter {
  readonly of: LaneCounter;
  readonly counter: Counter;
}

const drawn = (of: LaneCounter): DrawnCounter => ({ of, counter: new Counter(of.data) });

/** One iteration, ready for drawing and for finding what is under the pointer. */
export class IterationView {
  readonly run: Run;
  readonly data: IterationData;
  /** By position in trace.lanes. */
  readonly lanes: readonly LaneIndex[];
  readonly links: readonly Link[];
  #counters: readonly DrawnCounter[] | null;

  /** Counters that are null are made when they are first asked for. */
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

  /** What led to a row, what it led to, and what else its call issued. */
  flows(row: RowIndex): readonly Flow[] {
    return flowsOf(this.run.trace, this.rows, this.run.info.experiment, row);
  }

  /** The rows that those join it with. */
  partners(row: RowIndex): readonly RowIndex[] {
    const ends = this.flows(row).flatMap(({ from, to }) => [from, to]);
    return [...new Set(ends)].filter((end) => end !== row);
  }
}
