/** One simulated iteration of an experiment, with its verdicts. */

import { operationCount } from '../../experiment/edit/paths.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import { requireBounded } from '../../machine/bounded.ts';
import { attainableBandwidth } from '../../machine/cost/attainable.ts';
import type { Machine } from '../../machine/cost/machineOf.ts';
import { simulate } from '../../machine/simulate.ts';
import { capabilityGaps } from '../../program/capabilities.ts';
import { lowerToSimulate } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import { verdicts } from '../verdicts/verdicts.ts';

export interface Prediction {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly makespanNs: number;
  readonly verdicts: readonly Verdict[];
}

/** Longer programs aren't tried: a remedy takes several predictions while somebody waits. */
export const maxTriedInstructions = 20_000;

/** Predicts an experiment. Returns null if the simulator can't execute it or it is too long. */
export function predict(
  experiment: Experiment,
  { costs, device }: Pick<Machine, 'costs' | 'device'>,
): Prediction | null {
  // Every operation is at least one instruction, so a document that is too long needn't be lowered first.
  if (operationCount(experiment) > maxTriedInstructions || capabilityGaps(experiment, 'sim').length > 0) return null;
  try {
    const program = lowerToSimulate(experiment);
    const { trace, makespanNs } = simulate(program, costs, { maxInstructions: maxTriedInstructions });
    const iteration = iterationOf(trace, 0);
    return {
      experiment,
      program,
      makespanNs,
      verdicts: verdicts(iteration, experiment, {
        queueDepth: costs.facts.queueDepth,
        device,
        attainable: (direction, memory, bytes) => attainableBandwidth(costs, direction, memory, bytes),
      }),
    };
  } catch {
    // The experiment in a run file may be one that can't be lowered or simulated. Then there is no prediction.
    return null;
  }
}

/** Returns the prediction from a run that was just simulated on a machine defined by its profile alone. */
export function predicted({ info }: Run, experiment: Experiment, verdicts: readonly Verdict[]): Prediction | null {
  const program = lowerToSimulate(experiment);
  try {
    requireBounded(program, maxTriedInstructions);
  } catch {
    return null;
  }
  return { experiment, program, makespanNs: info.iterations.recordedMakespanNs[0] ?? 0, verdicts };
}
