/** What the window and the worker that works out plans say to each other. Each request has one answer. */
import type { ErrorInfo } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { RemedyAnswer, StepsAnswer } from '../../core/lift/answers.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import type { Prediction } from '../predict/predict.ts';

export interface ShownSteps extends StepsAnswer {
  /** Steps that the trace has; answers are of some of them where they are many. */
  readonly found: number;
  /** Nothing marks the steps, and nothing repeats: all of the trace counts as one. */
  readonly isWhole: boolean;
}

export type PlanQuestion =
  /** First: what the others are asked about. */
  | { readonly kind: 'open'; readonly run: Run; readonly profile: DeviceProfile; readonly knownStepNs: number | null }
  | { readonly kind: 'plan' }
  | { readonly kind: 'try'; readonly changes: readonly ChangeWord[] }
  | { readonly kind: 'lift'; readonly changes: readonly ChangeWord[] }
  /** The lanes of the lifted steps with these changes. */
  | { readonly kind: 'lanes'; readonly changes: readonly ChangeWord[] };

export type PlanRequest = PlanQuestion & { readonly ticket: number };

/** By kind of question. */
export interface PlanResults {
  readonly open: ShownSteps;
  readonly plan: readonly RemedyAnswer[];
  readonly try: RemedyAnswer;
  readonly lift: Experiment;
  readonly lanes: Prediction;
}

export type PlanAnswer =
  | { readonly ticket: number; readonly result: PlanResults[keyof PlanResults] }
  | { readonly ticket: number; readonly error: ErrorInfo };
