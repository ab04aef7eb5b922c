/** What the window and the worker that looks for hazards say to each other. */
import type { HazardReport } from '../../core/analysis/hazards/hazard.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Verification } from '../../core/trace/run.ts';

export interface HazardRequest {
  readonly ticket: number;
  readonly experiment: Experiment;
  /** The run that is shown: evidence where it executed this very experiment. */
  readonly run: { readonly experiment: Experiment; readonly verification: Verification } | null;
}

export interface HazardAnswer {
  readonly ticket: number;
  /** Null where the experiment can't be lowered: the window says why elsewhere. */
  readonly report: HazardReport | null;
}
