/** Requests of the window to the worker that computes plans. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { RemedyAnswer, StepsAnswer, TraceAnswers } from '../../core/lift/answers.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import type { RanksAnswer } from '../../core/lift/ranks.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { Run } from '../../core/trace/run.ts';
import type { Prediction } from '../predict/predict.ts';

export interface ShownSteps extends StepsAnswer {
  /** Number of steps in the trace; if there are many, answers use some of them. */
  readonly found: number;
  /** True if nothing marks steps and nothing repeats: the whole trace counts as one step. */
  readonly isWhole: boolean;
  /** Answer for a job of several ranks, whose slowest rank has these steps; else null. */
  readonly ranks: RanksAnswer | null;
}

export type ShownPlan = Pick<TraceAnswers, 'answer' | 'plan' | 'planSteps'>;

export interface PlanCalls {
  /** Called first; the other calls are about this run. */
  open(run: Run, profile: DeviceProfile, knownStepNs: number | null): ShownSteps;
  plan(): ShownPlan;
  try(changes: readonly ChangeWord[]): RemedyAnswer;
  lift(changes: readonly ChangeWord[]): Experiment;
  /** Returns lanes of the lifted steps with these changes. */
  lanes(changes: readonly ChangeWord[]): Prediction;
}
