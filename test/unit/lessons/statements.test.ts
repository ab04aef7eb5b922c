/** Every lesson's text is held true: its statements, the answers to its questions, and that each task is still to do. */
import { describe, expect, it } from 'vitest';
import { type Check, type CheckResult, evaluateCheck } from '../../../core/lessons/check.ts';
import { isChoice, type Lesson, type LessonStep } from '../../../core/lessons/lesson.ts';
import { takeMeasure } from '../../../core/lessons/measureRun.ts';
import type { Played } from '../../../core/lessons/played.ts';
import { comparedTo, startName } from '../../../core/lessons/references.ts';
import { lessons, recorded, simulated } from './support.ts';

type Source = (lesson: Lesson, name: string) => Promise<Played> | Played | null;

/** Results of checks on a step's experiment; those it compares with are played in the same way. Null where not all exist. */
async function results(lesson: Lesson, step: LessonStep, checks: readonly Check[], source: Source) {
  const shown = step.shown?.name ?? '';
  const played = await source(lesson, shown);
  if (played === null) return null;
  const others = new Map<string, Played>();
  for (const name of checks.flatMap(comparedTo)) {
    const other = await source(lesson, name === startName ? shown : name);
    if (other === null) return null;
    others.set(name, other);
  }
  return checks.map((check) => evaluateCheck(check, played, others));
}

const broken = (found: readonly CheckResult[] | null): string[] =>
  (found ?? [])
    .filter(({ holds }) => !holds)
    .map(({ says, found: value, wanted }) => `${says}: ${value}, wanted ${wanted}`);

const steps = lessons.flatMap((lesson) =>
  lesson.steps.map((step) => ({ lesson, step, name: `${lesson.id}: ${step.title}` })),
);
const statements = steps.flatMap(({ lesson, step }) =>
  step.holds.map((statement) => ({ lesson, step, statement, name: `${lesson.id}#${statement.id}` })),
);

describe('statements', () => {
  const onSimulator = statements.filter(({ statement }) => statement.on.includes('simulated'));
  it.each(onSimulator)('$name holds on the simulator', async ({ lesson, step, statement }) => {
    expect(broken(await results(lesson, step, statement.checks, simulated))).toEqual([]);
  });

  const onRecordings = statements.filter(({ statement }) => statement.on.includes('recorded'));
  it.each(onRecordings)('$name holds on the recorded run, where there is one', async ({ lesson, step, statement }) => {
    expect(broken(await results(lesson, step, statement.checks, recorded))).toEqual([]);
  });
});

describe('questions', () => {
  const asked = steps.filter(({ step }) => step.question !== undefined);
  it.each(asked)('$name: the answer that counts as right is right', async ({ lesson, step }) => {
    const { question } = step;
    if (question === undefined) return;
    if (isChoice(question)) {
      expect(broken(await results(lesson, step, question.proof, simulated))).toEqual([]);
      expect(broken(await results(lesson, step, question.proof, recorded))).toEqual([]);
    } else {
      const played = await simulated(lesson, step.shown?.name ?? '');
      const value = takeMeasure(played, question.answer);
      expect(value, 'what is asked for can be measured').not.toBeNull();
      expect(value).toBeGreaterThan(0);
    }
  });
});

describe('tasks', () => {
  const tasks = steps.filter(({ step }) => step.task !== undefined);
  it.each(tasks)('$name is not done as it is given', async ({ lesson, step }) => {
    const found = await results(lesson, step, step.task?.checks ?? [], simulated);
    expect(found?.some(({ holds }) => !holds)).toBe(true);
  });
});
