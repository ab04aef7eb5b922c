/** What the window asks of the worker that works out plans. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { RemedyAnswer, StepsAnswer, TraceAnswers } from '../../core/lift/answers.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import type { RanksAnswer } from '../../core/lift/ranks.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import type { Prediction } from '../predict/predict.ts';

export interface ShownSteps extends StepsAnswer {
  /** Steps that the trace has; answers are of some of them where they are many. */
  readonly found: number;
  /** Nothing marks the steps, and nothing repeats: all of the trace counts as one. */
  readonly isWhole: boolean;
  /** Of a job of several ranks, whose steps these are the slowest's; else null. */
  readonly ranks: RanksAnswer | null;
}

export type ShownPlan = Pick<TraceAnswers, 'answer' | 'plan' | 'ladder'>;

export interface PlanCalls {
  /** First: what the others are asked about. */
  open(run: Run, profile: DeviceProfile, knownStepNs: number | null): ShownSteps;
  plan(): ShownPlan;
  try(changes: readonly ChangeWord[]): RemedyAnswer;
  lift(changes: readonly ChangeWord[]): Experiment;
  /** The lanes of the lifted steps with these changes. */
  lanes(changes: readonly ChangeWord[]): Prediction;
}
