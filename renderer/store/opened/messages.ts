/** Requests of the window to the worker that opens run files. */

import type { LaneCounter } from '../../../core/figures/laneCounters.ts';
import type { WindowSummary } from '../../../core/summary/windowSummary.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { HostFile } from '../../common/hostFile.ts';
import type { IterationData } from './iterationData.ts';

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
}

/** The worker summarises iterations with more rows, without an object for each row. */
export const mostDetailedRows = 20_000;

export const isDetailed = ({ from, to }: RowRange): boolean => to - from <= mostDetailedRows;
