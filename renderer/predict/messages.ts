/** What the window and the worker that predicts say to each other. */

import type { ErrorInfo } from '../../core/errors.ts';
import type { LaneCounter } from '../../core/figures/laneCounters.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import type { PredictedIntervals } from '../../core/summary/predictedIntervals.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import type { SentDocument, Stale } from '../common/sentDocument.ts';
import type { IterationData } from '../store/opened/iterationData.ts';
import type { WindowSummary } from '../store/opened/windowSummary.ts';

/** A simulated run without its experiment, which both sides have. */
export interface Lanes {
  readonly info: Omit<RunInfo, 'experiment'>;
  readonly trace: Trace;
}

export interface PredictRequest {
  readonly ticket: number;
  readonly document: SentDocument;
  /** Null: that of the request before. */
  readonly profile: DeviceProfile | null;
  /** Copyscope's version. */
  readonly version: string;
  /** Lanes that the window has made itself, and wants only the summary of. */
  readonly lanes: Lanes | null;
}

export type PredictAnswer =
  | Stale
  /** The lanes. The summary follows, unless another request comes first. */
  | (Lanes & {
      readonly kind: 'predicted';
      readonly ticket: number;
      readonly iteration: IterationData;
      readonly counters: readonly LaneCounter[];
    })
  /** How far the simulation is, of one that takes long. */
  | ({ readonly kind: 'progress'; readonly ticket: number } & SimulationProgress)
  /** Some of the summary's verdicts: those of a long experiment at once would hold the window up. */
  | { readonly kind: 'verdicts'; readonly ticket: number; readonly verdicts: readonly Verdict[] }
  /** The summary with the verdicts that have not come before. */
  | { readonly kind: 'summarized'; readonly ticket: number; readonly summary: WindowSummary }
  /** How sure the prediction is: after its summary, unless another request comes first. */
  | { readonly kind: 'intervals'; readonly ticket: number; readonly intervals: PredictedIntervals }
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };
