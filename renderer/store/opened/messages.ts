/** What the window and the worker that opens run files say to each other. */

import type { ErrorInfo } from '../../../core/errors.ts';
import type { LaneCounter } from '../../../core/figures/laneCounters.ts';
import type { Run } from '../../../core/trace/run.ts';
import type { IterationData } from './iterationData.ts';
import type { WindowSummary } from './windowSummary.ts';

export interface OpenRequest {
  readonly ticket: number;
  /** Of the run's file, in the window's own origin. */
  readonly address: string;
}

/** What follows the lanes of a large run. */
export interface RunAnalysis {
  readonly summary: WindowSummary;
  /** Of the representative iteration. */
  readonly counters: readonly LaneCounter[];
}

export type OpenAnswer =
  | {
      readonly kind: 'opened';
      readonly ticket: number;
      readonly run: Run;
      /** The representative one. */
      readonly iteration: IterationData;
      /** later: it comes as a message of its own. here: the run is small enough for the window to make it. */
      readonly analysis: 'later' | 'here';
    }
  | ({ readonly kind: 'summarized'; readonly ticket: number } & RunAnalysis)
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };

/** Iterations of more rows are summarised in the worker, without what would be an object for each row. */
export const mostDetailedRows = 20_000;
