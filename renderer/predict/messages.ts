/** What the window and the worker that predicts say to each other. */
import type { SummaryDocument } from '../../core/analysis/summaryDocument.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { DeviceProfile } from '../../core/simulator/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import type { IterationData } from '../app/loading/iterationData.ts';

export interface PredictRequest {
  readonly ticket: number;
  readonly experiment: Experiment;
  readonly profile: DeviceProfile;
  /** Copyscope's version. */
  readonly version: string;
}

export type PredictAnswer =
  | {
      readonly kind: 'predicted';
      readonly ticket: number;
      readonly run: Run;
      readonly iteration: IterationData;
      readonly summary: SummaryDocument;
    }
  | { readonly kind: 'failed'; readonly ticket: number; readonly error: ErrorInfo };
