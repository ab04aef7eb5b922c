/** Works out what a recorded program's trace answers beside the window: a plan takes some hundred simulations. */
import '../common/zodSetup.ts';
import { profileCosts } from '../../core/cost/profileCosts.ts';
import { CopyscopeError, toErrorInfo } from '../../core/errors.ts';
import { plannerOf, remedyAnswer, stepsAnswer } from '../../core/lift/answers.ts';
import type { ChangeWord } from '../../core/lift/changes/words.ts';
import { liftedDescription } from '../../core/lift/description.ts';
import { experimentOf } from '../../core/lift/experimentOf.ts';
import { type Lifted, liftTrace } from '../../core/lift/fromTrace.ts';
import type { Planner } from '../../core/lift/plan.ts';
import type { DeviceProfile } from '../../core/profile/profile.ts';
import { runName } from '../../core/trace/run.ts';
import { predict } from '../predict/predict.ts';
import type { PlanAnswer, PlanQuestion, PlanRequest, PlanResults, ShownSteps } from './messages.ts';

interface Opened {
  readonly lifted: Lifted;
  readonly planner: Planner;
  readonly profile: DeviceProfile;
}

let opened: Opened | null = null;

self.addEventListener('message', ({ data }: MessageEvent<PlanRequest>) => {
  const { ticket } = data;
  try {
    self.postMessage({ ticket, result: resultOf(data) } satisfies PlanAnswer);
  } catch (thrown) {
    self.postMessage({ ticket, error: toErrorInfo(thrown) } satisfies PlanAnswer);
  }
});

function resultOf(question: PlanQuestion): PlanResults[keyof PlanResults] {
  if (question.kind === 'open') return open(question);
  if (opened === null) throw new CopyscopeError({ code: 'lift.not-open', message: 'No trace was opened.' });
  const { lifted, planner } = opened;
  if (question.kind === 'lift') return experiment(opened, question.changes);
  if (question.kind === 'lanes') return predict(experiment(opened, question.changes), opened.profile, '');
  if (question.kind === 'try') return remedyAnswer(lifted.script, planner.tried(question.changes));
  return planner.plan().remedies.map((remedy) => remedyAnswer(lifted.script, remedy));
}

function open({ run, profile, knownStepNs }: Extract<PlanQuestion, { kind: 'open' }>): ShownSteps {
  opened = null;
  const lifted = liftTrace(run.trace, runName(run.info));
  const planner = plannerOf(lifted, run.info, profileCosts(profile), knownStepNs ?? undefined);
  opened = { lifted, planner, profile };
  return {
    ...stepsAnswer(lifted, planner.unprofiledNs),
    found: lifted.stepsFound,
    isWhole: lifted.found.lane < 0,
  };
}

function experiment({ lifted, planner }: Opened, changes: readonly ChangeWord[]) {
  const { name, inferred } = lifted.script;
  const made = experimentOf(planner.changed(changes), liftedDescription(name, changes, inferred)).experiment;
  const which = changes.length === 0 ? 'as it is' : changes.join(', ');
  return { ...made, name: `${name.slice(0, 120)}: ${which}`.slice(0, 200) };
}
