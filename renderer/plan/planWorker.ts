/** Computes the plan of a recorded program's trace in a worker, since that takes some hundred simulations. */
import '../common/zodSetup.ts';
import { CopyscopeError } from '../../core/errors.ts';
import {
  answersOf,
  liftedExperiment,
  type OpenedTrace,
  openTrace,
  remedyAnswer,
  stepsAnswer,
} from '../../core/lift/answers.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { serveCalls } from '../common/workerCalls.ts';
import { predict } from '../predict/predict.ts';
import type { PlanCalls } from './messages.ts';

interface Opened extends OpenedTrace {
  readonly profile: DeviceProfile;
}

let opened: Opened | null = null;

function held(): Opened {
  if (opened === null) throw new CopyscopeError({ code: 'lift.not-open', message: 'No trace was opened.' });
  return opened;
}

const calls: PlanCalls = {
  open(run, profile, knownStepNs) {
    opened = null;
    const { lifted, planner, several } = openTrace(run, profileCosts(profile), {
      knownStepNs: knownStepNs ?? undefined,
    });
    opened = { lifted, planner, several, profile };
    return {
      ...stepsAnswer(lifted, planner),
      found: lifted.stepsFound,
      isWhole: lifted.found.lane < 0,
      ranks: several === null ? null : { ranks: several.ranks, slowest: several.slowest },
    };
  },
  plan() {
    const { answer, plan, planSteps } = answersOf(held());
    return { answer, plan, planSteps };
  },
  try: (changes) => remedyAnswer(held().lifted.script, held().planner.tried(changes)),
  lift: (changes) => liftedExperiment(held(), changes),
  lanes: (changes) => predict(liftedExperiment(held(), changes), held().profile, ''),
};

serveCalls(calls);
