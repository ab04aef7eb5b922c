/** Requests of the window to the worker that holds the open document. */

import type { Change } from '../../core/experiment/change.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { HazardReport } from '../../core/explain/hazards/hazard.ts';
import type { PlannedChanges } from '../../core/explain/remedies/plan.ts';
import type { Remedy } from '../../core/explain/remedies/remedy.ts';
import type { PredictedIntervals } from '../../core/explain/summary/predictedIntervals.ts';
import type { WindowSummary } from '../../core/explain/summary/windowSummary.ts';
import type { Verdict } from '../../core/explain/verdicts/verdict.ts';
import type { Shown } from '../../core/machine/cost/runCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import type { Run, RunInfo, Verification } from '../../core/trace/run.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { SentDocument } from '../common/sentDocument.ts';
import type { Prediction } from './predict.ts';

/** A simulated run without its experiment, which both sides have. */
export interface Lanes {
  readonly info: Omit<RunInfo, 'experiment'>;
  readonly trace: Trace;
}

/** A run that executed the document, with checked data. */
export interface CheckedRun {
  readonly experiment: Experiment;
  readonly verification: Verification;
}

export interface RemedyQuestion {
  readonly verdict: Verdict;
  /** Costs seen in the run; null if the run hasn't been read. */
  readonly shown: Shown | null;
  /** The run without its experiment, which is the document; null if `shown` is known or the run shows no costs. */
  readonly run: Run | null;
}

export interface RemedyAnswer {
  /** Null if the experiment can't be simulated, or takes too long. */
  readonly remedy: Remedy | null;
  /** Costs read from the given run; null if no run was given. */
  readonly shown: Shown | null;
}

/** Calls with a promise take turns with other requests, and resolve with null if they are cancelled. */
export interface DocumentCalls {
  /** Sets the document of the following calls. */
  take(document: SentDocument): void;
  /** Sets the profile for predictions. */
  use(profile: DeviceProfile): void;
  /** Predicts the lanes. `document` is its key. The next call cancels this one. */
  predict(document: string, version: string): Promise<(Lanes & Omit<Prediction, 'run'>) | null>;
  dropLanes(): void;
  /** Summarizes the given lanes, or the last predicted ones, with the first of their verdicts. */
  summarize(lanes: Lanes | null): Promise<(WindowSummary & { readonly verdictCount: number }) | null>;
  /** Returns verdicts of the last summary from a position on, as many as the window reads at once. */
  moreVerdicts(from: number): readonly Verdict[];
  /** Returns the uncertainty of the summary. */
  intervals(): Promise<PredictedIntervals | null>;
  /** Adds evidence if the run executed this exact program. */
  hazards(run: CheckedRun | null): Promise<HazardReport | null>;
  /** Returns the change for the hazard with this index in the report, or null if none is known. */
  repair(hazard: number): Change | null;
  remedy(question: RemedyQuestion): Promise<RemedyAnswer | null>;
  /** Returns sets of changes that gain most together, the recommended one first. */
  plan(): Promise<readonly PlannedChanges[] | null>;
  /** Cancels searches for hazards, remedies and plans. */
  dropSearches(): void;
}

export interface DocumentEvents {
  /** Progress of a prediction that takes long. */
  progress(document: string, progress: SimulationProgress): void;
}
