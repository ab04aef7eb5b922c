/** What the window asks of the worker that holds the open document. */

import type { Shown } from '../../core/cost/runCosts.ts';
import type { Change } from '../../core/experiment/change.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { HazardReport } from '../../core/hazards/hazard.ts';
import type { SimulationProgress } from '../../core/machine/simulate.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import type { Remedy } from '../../core/remedies/remedy.ts';
import type { PredictedIntervals } from '../../core/summary/predictedIntervals.ts';
import type { WindowSummary } from '../../core/summary/windowSummary.ts';
import type { Run, RunInfo, Verification } from '../../core/trace/run.ts';
import type { Trace } from '../../core/trace/trace.ts';
import type { Verdict } from '../../core/verdicts/verdict.ts';
import type { SentDocument } from '../common/sentDocument.ts';
import type { Prediction } from './predict.ts';

/** A simulated run without its experiment, which both sides have. */
export interface Lanes {
  readonly info: Omit<RunInfo, 'experiment'>;
  readonly trace: Trace;
}

/** A run that executed the document, whose data was checked. */
export interface CheckedRun {
  readonly experiment: Experiment;
  readonly verification: Verification;
}

export interface RemedyQuestion {
  readonly verdict: Verdict;
  /** What the run has shown of its machine; null where nothing has been read of it. */
  readonly shown: Shown | null;
  /** What shows more of the machine; null where `shown` has it already, or it tells nothing. Without its experiment, which is the document. */
  readonly run: Run | null;
}

export interface RemedyAnswer {
  /** Null where the experiment can't be simulated, or takes too long for it. */
  readonly remedy: Remedy | null;
  /** What was read of the run that was given; null where none was. */
  readonly shown: Shown | null;
}

/** All that answers with a promise takes turns with what is asked meanwhile, and answers null where it was called off. */
export interface DocumentCalls {
  /** What the calls behind this one are about. */
  take(document: SentDocument): void;
  /** The profile that they are predicted with. */
  use(profile: DeviceProfile): void;
  /** The lanes. `document` is its key. The next call gives this one up. */
  predict(document: string, version: string): Promise<(Lanes & Omit<Prediction, 'run'>) | null>;
  dropLanes(): void;
  /** Of the lanes that were predicted last, or of those that the window has made itself. With the first of its verdicts. */
  summarize(lanes: Lanes | null): Promise<(WindowSummary & { readonly verdictCount: number }) | null>;
  /** Those of the last summary from a position on, as many as the window reads at once. */
  moreVerdicts(from: number): readonly Verdict[];
  /** How sure the summary is. */
  intervals(): Promise<PredictedIntervals | null>;
  /** With evidence where the run executed this very program. */
  hazards(run: CheckedRun | null): Promise<HazardReport | null>;
  /** The change for the hazard of a place in the report; null where none is known. */
  repair(hazard: number): Change | null;
  remedy(question: RemedyQuestion): Promise<RemedyAnswer | null>;
  /** Calls off hazards and remedies that are under way. */
  dropSearches(): void;
}

export interface DocumentEvents {
  /** How far the prediction is, of a document that takes long. */
  progress(document: string, progress: SimulationProgress): void;
}
