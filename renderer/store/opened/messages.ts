/** What the window asks of the worker that opens run files. */

import type { LaneCounter } from '../../../core/figures/laneCounters.ts';
import type { WindowSummary } from '../../../core/summary/windowSummary.ts';
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { HostFile } from '../../common/hostFile.ts';
import type { IterationData } from './iterationData.ts';

/** What follows the lanes of a large run. */
export interface RunAnalysis {
  readonly summary: WindowSummary;
  /** Of the representative iteration. */
  readonly counters: readonly LaneCounter[];
}

export interface OpenCalls {
  open(file: HostFile): Promise<{
    readonly run: Run;
    /** The representative one. */
    readonly iteration: IterationData;
    /** For analysis(); null where the run is small enough for the window to make it. */
    readonly ticket: number | null;
  }>;
  analysis(ticket: number): RunAnalysis;
}

/** Iterations of more rows are summarised in the worker, without what would be an object for each row. */
export const mostDetailedRows = 20_000;

export const isDetailed = ({ from, to }: RowRange): boolean => to - from <= mostDetailedRows;
