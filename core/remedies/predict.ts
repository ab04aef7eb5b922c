/** One simulated iteration of an experiment, with its verdicts. */
import type { Machine } from '../cost/machineOf.ts';
import { operationCount } from '../experiment/edit/paths.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { requireBounded } from '../machine/bounded.ts';
import { simulate } from '../machine/simulate.ts';
import { capabilityGaps } from '../program/capabilities.ts';
import { lowerToSimulate } from '../program/lower.ts';
import type { Program } from '../program/program.ts';
import { iterationOf } from '../trace/iteration.ts';
import type { Run } from '../trace/run.ts';
import type { Verdict } from '../verdicts/verdict.ts';
import { verdicts } from '../verdicts/verdicts.ts';

export interface Prediction {
  readonly experiment: Experiment;
  readonly program: Program;
  readonly makespanNs: number;
  readonly verdicts: readonly Verdict[];
}

/** Longer programs are not tried: a remedy is predicted several times over while somebody waits. */
export const maxTriedInstructions = 20_000;

/** Null where the simulator can't execute it, or it is too long to be tried again and again. */
export function predict(
  experiment: Experiment,
  { costs, device }: Pick<Machine, 'costs' | 'device'>,
): Prediction | null {
  // Every operation is at least one instruction: what is too long for sure need not be lowered to be counted.
  if (operationCount(experiment) > maxTriedInstructions || capabilityGaps(experiment, 'sim').length > 0) return null;
  try {
    const program = lowerToSimulate(experiment);
    const { trace, makespanNs } = simulate(program, costs, { maxInstructions: maxTriedInstructions });
    const iteration = iterationOf(trace, 0);
    return {
      experiment,
      program,
      makespanNs,
      verdicts: verdicts(iteration, experiment, { queueDepth: costs.facts.queueDepth, device }),
    };
  } catch {
    // A run file's experiment need not be one that can be lowered and simulated; then nothing is predicted for it.
    return null;
  }
}

/** The same of a run that was simulated just now, on a machine that is all of its profile, with its verdicts. */
export function predicted({ info }: Run, experiment: Experiment, verdicts: readonly Verdict[]): Prediction | null {
  const program = lowerToSimulate(experiment);
  try {
    requireBounded(program, maxTriedInstructions);
  } catch {
    return null;
  }
  return { experiment, program, makespanNs: info.iterations.recordedMakespanNs[0] ?? 0, verdicts };
}
