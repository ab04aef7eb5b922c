/** Checks every lesson's text: its statements, the answers to its questions, and that no task is already solved. */
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/apps/lessons/check.ts';
import { evaluateStep, experimentsOf, type StepResult } from '../../../core/apps/lessons/evaluate.ts';
import { isChoice, type Lesson, type LessonStep } from '../../../core/apps/lessons/lesson.ts';
import { describeError, toErrorInfo } from '../../../core/errors.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { lower } from '../../../core/program/lower.ts';
import { rememberedBy } from '../../../core/rememberedBy.ts';
import type { Run } from '../../../core/trace/run.ts';
import { type Change, solutions, solved, spoils } from './solutions.ts';
import { experimentOf, lessons, profile, recordedRun } from './support.ts';

/** Evaluates a step like the window, before any change or with the answer `changed`, which needs no recorded runs. */
function asGiven(lesson: Lesson, step: LessonStep, changed?: Experiment): Promise<StepResult> {
  const names = experimentsOf({ step });
  const given = Object.fromEntries(names.map((name) => [name, experimentOf(lesson, name)]));
  const recorded: Record<string, Run> = {};
  for (const name of names) {
    const run = changed === undefined ? recordedRun(lesson, name) : null;
    if (run !== null) recorded[name] = run;
  }
  const experiment = step.task === undefined ? null : (changed ?? given[step.shown?.name ?? ''] ?? null);
  return evaluateStep({ step, experiment, given, recorded, profile });
}

const broken = (found: readonly CheckResult[] | null | undefined): string[] =>
  (found ?? [])
    .filter(({ holds }) => !holds)
    .map(({ says, found: value, wanted }) => `${says}: ${value}, wanted ${wanted}`);

const steps = lessons.flatMap((lesson) =>
  lesson.steps.map((step) => ({ lesson, step, name: `${lesson.id}: ${step.title}` })),
);
const asShipped = rememberedBy(({ lesson, step }: (typeof steps)[number]) => asGiven(lesson, step));
const has = (field: 'question' | 'task') => steps.filter(({ step }) => step[field] !== undefined);

it.each(steps.filter(({ step }) => step.holds.length > 0))(
  '$name: every statement holds on the simulator, and on the recorded run if there is one',
  async (one) => {
    const { lesson, step } = one;
    const { statements } = await asShipped(one);
    for (const { id, simulated, recorded } of statements) {
      const wanted = step.holds.find((statement) => statement.id === id)?.on ?? [];
      expect(simulated !== null, `${id} is simulated`).toBe(wanted.includes('simulated'));
      expect(broken(simulated), `${lesson.id}#${id}, simulated`).toEqual([]);
      expect(broken(recorded), `${lesson.id}#${id}, recorded`).toEqual([]);
    }
  },
);

it.each(has('question'))('$name: the answer that counts as right is right', async (one) => {
  const { step } = one;
  const { proof, answer } = await asShipped(one);
  if (step.question !== undefined && isChoice(step.question)) {
    expect(proof.length).toBeGreaterThan(0);
    for (const { simulated, recorded } of proof) {
      expect(broken(simulated)).toEqual([]);
      expect(broken(recorded)).toEqual([]);
    }
  } else expect(answer.simulated, 'what is asked for can be measured').toBeGreaterThan(0);
});

describe('tasks', () => {
  const tasks = has('task');
  it.each(tasks)('$name is not done as it is given', async (one) => {
    const { task } = await asShipped(one);
    expect(task.filter(({ holds }) => !holds).length).toBeGreaterThan(0);
  });

  it('has solutions for every one, right and wrong', () => {
    expect(Object.keys(solutions).sort()).toEqual(tasks.map(({ name }) => name).sort());
    for (const { right, wrong } of Object.values(solutions)) {
      expect(Object.keys(right).length).toBeGreaterThan(0);
      expect(Object.keys(wrong).length).toBeGreaterThan(0);
    }
  });

  it.each(tasks)('$name passes with each right answer', async ({ lesson, step, name }) => {
    const start = experimentOf(lesson, step.shown?.name ?? '');
    for (const [way, change] of Object.entries(solutions[name]?.right ?? {})) {
      const { task } = await asGiven(lesson, step, solved(start, change));
      expect(broken(task), way).toEqual([]);
    }
  });

  it.each(tasks)(
    '$name fails with each wrong answer, and with each spoiled right one',
    async ({ lesson, step, name }) => {
      const start = experimentOf(lesson, step.shown?.name ?? '');
      const { right, wrong } = solutions[name] ?? { right: {}, wrong: {} };
      const answers = Object.entries(wrong).map(([way, change]) => ({ way, answer: solved(start, change) }));
      const solution = Object.values(right).at(-1);
      const good = solved(start, solution ?? (() => {}));
      for (const [way, spoil] of Object.entries(spoils)) {
        const answer = executable(good, spoil);
        if (answer !== null && !isDeepStrictEqual(answer, good)) answers.push({ way, answer });
      }
      expect(answers.length).toBeGreaterThanOrEqual(5);
      for (const { way, answer } of answers) {
        // A program that fails is no solution either: the window shows its error in place of the checks.
        const found = await asGiven(lesson, step, answer).then(({ task }) => broken(task), describeFailure);
        expect.soft(found, way).not.toEqual([]);
      }
    },
  );
});

const describeFailure = (thrown: unknown): string[] => [describeError(toErrorInfo(thrown))];

/** Returns the spoiled experiment, or null if no engine could execute it. */
function executable(experiment: Experiment, spoil: Change): Experiment | null {
  try {
    const spoiled = solved(experiment, spoil);
    lower(spoiled);
    return spoiled;
  } catch {
    return null;
  }
}
