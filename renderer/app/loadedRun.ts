/** A run that was read: its trace, its summary, and for each iteration that is looked at what the lanes are drawn from. */
import { type SummaryOptions, summarizeRun } from '../../core/analysis/summary.ts';
import type { SummaryDocument } from '../../core/analysis/summary-document.ts';
import { decodeRun } from '../../core/trace/arrow.ts';
import { type CallJoin, joinCalls } from '../../core/trace/correlation.ts';
import { indexLane, type LaneIndex } from '../../core/trace/laneIndex.ts';
import { iterationRows, iterationsOf, makespanNs, type RowRange } from '../../core/trace/rows.ts';
import type { Run, RunInfo } from '../../core/trace/run.ts';
import type { RowIndex } from '../../core/trace/trace.ts';
import { Bandwidth, copyRows } from '../timeline/bandwidth.ts';

/** A class, so that the store keeps it as it is: it is never changed, and too large to be walked. */
export class LoadedRun {
  readonly id: string;
  readonly run: Run;
  readonly summary: SummaryDocument;
  /** Recorded iterations, in order. */
  readonly iterations: readonly number[];
  readonly #views = new Map<number, IterationView>();

  constructor(id: string, run: Run, options: SummaryOptions) {
    this.id = id;
    this.run = run;
    this.summary = summarizeRun(run, options);
    this.iterations = iterationsOf(run.trace);
  }

  /** The representative iteration where `iteration` is null or was not recorded. */
  view(iteration: number | null): IterationView {
    const fallback = this.run.info.iterations.representative;
    const number = iteration !== null && this.iterations.includes(iteration) ? iteration : fallback;
    const known = this.#views.get(number);
    if (known !== undefined) return known;
    const made = new IterationView(this.run, number);
    this.#views.set(number, made);
    return made;
  }
}

/** One iteration, indexed for drawing and for finding what is under the pointer. */
export class IterationView {
  readonly run: Run;
  readonly number: number;
  readonly rows: RowRange;
  readonly makespanNs: number;
  readonly joins: CallJoin;
  /** By position in trace.lanes. */
  readonly lanes: readonly LaneIndex[];
  readonly bandwidth: Readonly<Record<'h2d' | 'd2h', Bandwidth>>;

  constructor(run: Run, number: number) {
    const { trace } = run;
    this.run = run;
    this.number = number;
    this.rows = iterationRows(trace, number);
    this.makespanNs = makespanNs(trace, this.rows);
    this.joins = joinCalls(trace, this.rows);
    this.lanes = trace.lanes.map((_, lane) => indexLane(trace, lane, this.rows));
    this.bandwidth = {
      h2d: new Bandwidth(trace, copyRows(trace, this.rows, 'h2d')),
      d2h: new Bandwidth(trace, copyRows(trace, this.rows, 'd2h')),
    };
  }

  /** The host call of an activity, or the activities of a host call. */
  partners(row: RowIndex): readonly RowIndex[] {
    const call = this.joins.callOf(row);
    return call === null
      ? this.joins.activitiesOf(row)
      : [call, ...this.joins.activitiesOf(call).filter((one) => one !== row)];
  }
}

/**
 * Decodes and summarises a run file. Throws a CopyscopeError where it is no run, or damaged. `options` gives what a
 * profile of the run's machine says.
 */
export async function loadRun(
  id: string,
  file: Uint8Array,
  options: (info: RunInfo) => Promise<SummaryOptions>,
): Promise<LoadedRun> {
  const run = decodeRun(file);
  return new LoadedRun(id, run, await options(run.info));
}
