/** Checks every lesson's text: its statements, the answers to its questions, and that no task is already solved. */
import { describe, expect, it } from 'vitest';
import type { CheckResult } from '../../../core/apps/lessons/check.ts';
import { evaluateStep, experimentsOf, type StepResult } from '../../../core/apps/lessons/evaluate.ts';
import { isChoice, type Lesson, type LessonStep } from '../../../core/apps/lessons/lesson.ts';
import type { Experiment } from '../../../core/experiment/experiment.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import type { Run } from '../../../core/trace/run.ts';
import { solutions, solved } from './solutions.ts';
import { experimentOf, lessons, profile, recordedRun } from './support.ts';

/** Evaluates a step like the window before any change. */
function asGiven(lesson: Lesson, step: LessonStep, changed?: Experiment): Promise<StepResult> {
  const names = experimentsOf({ step });
  const given = Object.fromEntries(names.map((name) => [name, experimentOf(lesson, name)]));
  const recorded: Record<string, Run> = {};
  for (const name of names) {
    const run = recordedRun(lesson, name);
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
const has = (field: 'question' | 'task') => steps.filter(({ step }) => step[field] !== undefined);

describe('statements', () => {
  it.each(steps.filter(({ step }) => step.holds.length > 0))(
    '$name: every statement holds on the simulator, and on the recorded run where there is one',
    async ({ lesson, step }) => {
      const { statements } = await asGiven(lesson, step);
      for (const { id, simulated, recorded } of statements) {
        const wanted = step.holds.find((statement) => statement.id === id)?.on ?? [];
        expect(simulated !== null, `${id} is simulated`).toBe(wanted.includes('simulated'));
        expect(broken(simulated), `${lesson.id}#${id}, simulated`).toEqual([]);
        expect(broken(recorded), `${lesson.id}#${id}, recorded`).toEqual([]);
      }
    },
  );
});

describe('questions', () => {
  it.each(has('question'))('$name: the answer that counts as right is right', async ({ lesson, step }) => {
    const { proof, answer } = await asGiven(lesson, step);
    if (step.question !== undefined && isChoice(step.question)) {
      expect(proof.length).toBeGreaterThan(0);
      for (const { simulated, recorded } of proof) {
        expect(broken(simulated)).toEqual([]);
        expect(broken(recorded)).toEqual([]);
      }
    } else expect(answer.simulated, 'what is asked for can be measured').toBeGreaterThan(0);
  });
});

describe('tasks', () => {
  const tasks = has('task');
  it.each(tasks)('$name is not done as it is given', async ({ lesson, step }) => {
    const { task } = await asGiven(lesson, step);
    expect(task.filter(({ holds }) => !holds).length).toBeGreaterThan(0);
  });

  it('has solutions for every one, right and wrong', () => {
    expect(Object.keys(solutions).sort()).toEqual(tasks.map(({ name }) => name).sort());
    for (const { right, wrong } of Object.values(solutions)) {
      expect(Object.keys(right).length).toBeGreaterThan(0);
      expect(Object.keys(wrong).length).toBeGreaterThan(0);
    }
  });

  const ways = tasks.flatMap(({ lesson, step, name }) =>
    (['right', 'wrong'] as const).flatMap((kind) =>
      Object.entries(solutions[name]?.[kind] ?? {}).map(([way, change]) => ({
        lesson,
        step,
        kind,
        change,
        name: `${name}, ${kind}: ${way}`,
      })),
    ),
  );
  it.each(ways)('$name', async ({ lesson, step, kind, change }) => {
    const start = experimentOf(lesson, step.shown?.name ?? '');
    const { task } = await asGiven(lesson, step, requireExperiment(solved(start, change)));
    if (kind === 'right') expect(broken(task)).toEqual([]);
    else expect(broken(task)).not.toEqual([]);
  });
});
