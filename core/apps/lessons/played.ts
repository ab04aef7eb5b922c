/** A run with everything that measures need: a simulation, or a recorded or measured run. */

import { type Experiment, walkOperations } from '../../experiment/experiment.ts';
import type { Operation } from '../../experiment/operations.ts';
import type { Hazard } from '../../explain/hazards/hazard.ts';
import { findHazards } from '../../explain/hazards/hazards.ts';
import { programFacts } from '../../explain/verdicts/facts.ts';
import type { Verdict } from '../../explain/verdicts/verdict.ts';
import { verdicts } from '../../explain/verdicts/verdicts.ts';
import { simEngine } from '../../machine/cost/simEngine.ts';
import type { DeviceProfile } from '../../machine/profile/profile.ts';
import { lower } from '../../program/lower.ts';
import type { Program } from '../../program/program.ts';
import { type Iteration, iterationOf } from '../../trace/iteration.ts';
import type { Run } from '../../trace/run.ts';

export interface Played {
  readonly run: Run;
  readonly experiment: Experiment;
  readonly program: Program;
  readonly iteration: Iteration;
  /** Operations by number. */
  readonly operations: readonly Operation[];
  readonly verdicts: readonly Verdict[];
  readonly hazards: readonly Hazard[];
  readonly label: (op: number) => string | undefined;
}

/** Throws a RangeError if the run comes from another tool and so has no experiment. */
export function playedRun(run: Run): Played {
  const { experiment, iterations } = run.info;
  if (experiment === null) throw new RangeError('a lesson plays runs of experiments only');
  const iteration = iterationOf(run.trace, iterations.representative);
  const program = lower(experiment);
  const operations: Operation[] = [];
  for (const thread of experiment.threads) walkOperations(thread.operations, (one) => operations.push(one));
  return {
    run,
    experiment,
    program,
    iteration,
    operations,
    verdicts: verdicts(iteration, experiment, { device: run.info.device }),
    hazards: findHazards(program).hazards,
    label: programFacts(experiment).label,
  };
}

/** Simulates an experiment. Rejects with `experiment.invalid` if no engine can execute it. */
export async function play(experiment: Experiment, profile: DeviceProfile): Promise<Played> {
  const site = { machine: { os: '', cpu: '', cores: 0 }, version: '', pause: async () => {} };
  const engine = simEngine(async () => profile, site);
  return playedRun(await engine.run({ experiment, program: lower(experiment), profile: profile.name }));
}
