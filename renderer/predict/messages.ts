/** What the window and the worker that predicts say to each other. */
import type { LaneCounter } from '../../core/analysis/laneCounters.ts';
import type { Verdict } from '../../core/analysis/verdicts/verdict.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { DeviceProfile } from '../../core/simulator/profile.ts';
import type { SimulationProgress } from '../../core/simulator/simulate.ts';
import type { RunInfo } from '../../core/trace/run.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { IterationData } from '../app/loading/iterationData.ts';
import type { WindowSummary } from '../app/windowSummary.ts';
import type { SentDocument, Stale } from '../common/sentDocument.ts';

export interface PredictRequest {
  readonly ticket: number;
  readonly document: SentDocument;
  /** Null: that of the request before. */
  readonly profile: DeviceProfile | null;
  /** Copyscope's version. */
  readonly version: string;
  /** The window has drawn the lanes itself, and wants only the summary. */
  readonly hasLanes: boolean;
}

export type PredictAnswer =
  | Stale
  | {
      /** The lanes. The summary follows, unless another request comes first. */
      readonly kind: 'predicted';
      readonly ticket: number;
      /** Without the experiment, which the window has. */
      readonly info: Omit<RunInfo, 'experiment'>;
      readonly trace: Trace;
      readonly iteration: IterationData;
      readonly counters: readonly LaneCounter[];
    }
  /** How far the simulation is, of one that takes long. */
  | ({ readonly kind: 'progress'; readonly ticket: number } & SimulationProgress)
  /** Some of the summary's verdicts: those of a long experiment at once would hold the window up. */
  | { readonly kind: 'verdicts'; readonly ticket: number; readonly verdicts: readonly Verdict[] }
  /** The summary with the verdicts that have not come before. */
  | { readonly kind: 'summarized'; readonly ticket: number; readonly summary: WindowSummary }
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };
