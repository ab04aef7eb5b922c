import { expect, it } from 'vitest';
import { evaluateStep } from '../../../core/apps/lessons/evaluate.ts';
import { lessonOfPlan } from '../../../core/apps/lessons/fromPlan.ts';
import { requireLesson } from '../../../core/apps/lessons/parse.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { planAnswers, plannerOf } from '../../../core/lift/answers.ts';
import { experimentOf } from '../../../core/lift/experimentOf.ts';
import { liftTrace } from '../../../core/lift/fromTrace.ts';
import { profileCosts } from '../../../core/machine/cost/profileCosts.ts';
import { importTraceFile } from '../../../host/library/importTrace.ts';
import { profile } from './support.ts';

const pair = (name: string) => importTraceFile(`test/fixtures/pytorch-pairs/${name}.json.gz`, 'test');

it('makes a lesson of a trace whose task the plan solves, and nothing else', async () => {
  const run = await pair('vision.pageable');
  const lifted = liftTrace(run.trace, 'vision', { error: run.info.error });
  const planner = plannerOf(lifted, run.info, profileCosts(profile));
  const answers = planAnswers(lifted, planner, null);
  const [best] = answers.plan;
  const steps = requireExperiment(experimentOf(planner.changed([]), '').experiment);
  const changed = requireExperiment(experimentOf(planner.changed(best?.changes ?? []), '').experiment);
  const lesson = requireLesson('vision', lessonOfPlan('vision', steps, answers));
  const [question, task] = lesson.steps;
  expect(question?.question).toMatchObject({ why: answers.answer });
  expect(task?.task?.hints.length).toBeGreaterThan(0);
  if (task === undefined) return;
  const passed = async (experiment: typeof steps) => {
    const found = await evaluateStep({ step: task, experiment, given: { steps }, recorded: {}, profile });
    return found.task.filter(({ holds }) => !holds).map(({ says }) => says);
  };
  expect(await passed(steps)).toEqual([expect.stringMatching(/of the time or less$/)]);
  expect(await passed(changed)).toEqual([]);
});

it('makes a lesson without a task where nothing is to gain', () => {
  const steps = requireExperiment({
    format: 'copyscope/experiment',
    version: 2,
    name: 'x',
    threads: [{ id: 'main', operations: [] }],
  });
  const lesson = requireLesson('own', lessonOfPlan('x', steps, { answer: 'Nothing to gain.', plan: [] }));
  expect(lesson.steps.map(({ task }) => task)).toEqual([undefined]);
});
