/** Computes the plan of a recorded program's trace in a worker, since that takes some hundred simulations. */
import '../common/zodSetup.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { planAnswers, plannerOf, remedyAnswer, stepsAnswer } from '../../core/lift/answers.ts';
import { cautionOf } from '../../core/lift/caution.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import { liftedDescription } from '../../core/lift/description.ts';
import { experimentOf } from '../../core/lift/experimentOf.ts';
import { type Lifted, liftTrace } from '../../core/lift/fromTrace.ts';
import type { Planner } from '../../core/lift/plan.ts';
import { ranksAnswer, type UnevenWork } from '../../core/lift/ranks.ts';
import { profileCosts } from '../../core/machine/cost/profileCosts.ts';
import type { DeviceProfile } from '../../core/machine/profile/profile.ts';
import { runName } from '../../core/trace/run.ts';
import { serveCalls } from '../common/workerCalls.ts';
import { predict } from '../predict/predict.ts';
import type { PlanCalls } from './messages.ts';

interface Opened {
  readonly lifted: Lifted;
  readonly planner: Planner;
  readonly profile: DeviceProfile;
  readonly uneven: UnevenWork | null;
}

let opened: Opened | null = null;

function held(): Opened {
  if (opened === null) throw new CopyscopeError({ code: 'lift.not-open', message: 'No trace was opened.' });
  return opened;
}

const calls: PlanCalls = {
  open(run, profile, knownStepNs) {
    opened = null;
    const ranks = ranksAnswer(run);
    const lifted = ranks?.lifted ?? liftTrace(run.trace, runName(run.info), { error: run.info.error });
    const planner = plannerOf(lifted, run.info, profileCosts(profile), knownStepNs ?? undefined);
    opened = { lifted, planner, profile, uneven: ranks?.uneven ?? null };
    return {
      ...stepsAnswer(lifted, planner),
      found: lifted.stepsFound,
      isWhole: lifted.found.lane < 0,
      ranks: ranks === null ? null : { ranks: ranks.ranks, slowest: ranks.slowest },
    };
  },
  plan() {
    const { lifted, planner, uneven } = held();
    const { answer, plan, ladder } = planAnswers(lifted, planner, uneven);
    return { answer, plan, ladder };
  },
  try: (changes) => remedyAnswer(held().lifted.script, held().planner.tried(changes)),
  lift: (changes) => experiment(held(), changes),
  lanes: (changes) => predict(experiment(held(), changes), held().profile, ''),
};

serveCalls(calls);

function experiment({ lifted, planner }: Opened, changes: readonly ChangeWord[]) {
  const { name, inferred } = lifted.script;
  const caution = cautionOf(lifted.recordedNs, planner.replayedNs);
  const made = experimentOf(planner.changed(changes), liftedDescription(name, changes, inferred, caution)).experiment;
  const which = changes.length === 0 ? 'as it is' : changes.join(', ');
  return { ...made, name: `${name.slice(0, 120)}: ${which}`.slice(0, 200) };
}
