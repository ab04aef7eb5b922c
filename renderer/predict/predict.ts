/** Simulates an experiment for its lanes, in the window and in its worker. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import type { Operation } from '../../core/experiment/operations.ts';
import { type LaneCounter, laneCounters } from '../../core/explain/figures/laneCounters.ts';
import { simulateRunInSteps } from '../../core/machine/cost/simEngine.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import type { SimulateOptions, SimulationProgress } from '../../core/machine/simulate.ts';
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

/** Throws a CopyscopeError if the experiment can't be lowered or simulated. `version` is Copyscope's. */
export const predict = (...of: Parameters<typeof predictInSteps>): Prediction => atOnce(predictInSteps(...of));

/** Does the same in steps, which report the progress of the simulation. */
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

/** Returns true if a document has more than `most` operations, counting each tensor of a multi-tensor copy, and each block. */
export const isLongerThan = (most: number, { threads }: Experiment): boolean =>
  threads.reduce((left, { operations }) => leftAfter(left, operations), most) < 0;

/** Subtracts the number of operations from `left`. Stops below 0, so that long documents cost little. */
function leftAfter(left: number, operations: readonly Operation[]): number {
  for (const operation of operations) {
    if (left < 0) return left;
    left -= 'payload' in operation ? operation.payload.tensors : 'blocks' in operation ? operation.blocks : 1;
    if ('operations' in operation) left = leftAfter(left, operation.operations);
  }
  return left;
}
