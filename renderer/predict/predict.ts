/** From an experiment to what its lanes are drawn from: for the window and for the worker beside it. */

import { simulateRunInSteps } from '../../core/cost/simEngine.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import { type LaneCounter, laneCounters } from '../../core/figures/laneCounters.ts';
import type { SimulateOptions, SimulationProgress } from '../../core/machine/simulate.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import { lowerToSimulate } from '../../core/program/lower.ts';
import { atOnce, type InSteps } from '../../core/steps.ts';
import type { Run } from '../../core/trace/run.ts';
import { type IterationData, indexIteration } from '../store/opened/iterationData.ts';

export interface Prediction {
  readonly run: Run;
  /** The representative iteration. */
  readonly iteration: IterationData;
  readonly counters: readonly LaneCounter[];
}

/** Throws a CopyscopeError for what can't be lowered or simulated. `version` is Copyscope's. */
export const predict = (...of: Parameters<typeof predictInSteps>): Prediction => atOnce(predictInSteps(...of));

/** The same in steps, which tell how far the simulation is once it has begun. */
export function* predictInSteps(
  experiment: Experiment,
  profile: DeviceProfile,
  version: string,
  options?: SimulateOptions,
): InSteps<Prediction, SimulationProgress | undefined> {
  const request = { experiment, program: lowerToSimulate(experiment), profile: profile.name };
  yield;
  const run = yield* simulateRunInSteps(request, profile, { machine: null, version }, options);
  const { representative } = run.info.iterations;
  return {
    run,
    iteration: indexIteration(run.trace, representative),
    counters: laneCounters(run, representative),
  };
}

/** Whether a document has more than so many operations, each tensor of a multi-tensor copy counted. */
export const isLongerThan = (most: number, { threads }: Experiment): boolean =>
  threads.reduce((left, { operations }) => leftAfter(left, operations), most) < 0;

/** How many of `left` the operations leave; below 0 where they are more. Looks at no more than it has to. */
function leftAfter(left: number, operations: readonly Operation[]): number {
  for (const operation of operations) {
    if (left < 0) return left;
    left -= operation.op === 'multiCopy' ? operation.payload.tensors : 1;
    if ('operations' in operation) left = leftAfter(left, operation.operations);
  }
  return left;
}
