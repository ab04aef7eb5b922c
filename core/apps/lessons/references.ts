/** Finds names in the front part that don't exist. */
import type { z } from 'zod';
import type { Check } from './check.ts';
import type { lessonFrontSchema } from './lesson.ts';

interface ReferenceProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
  readonly remedy: string;
}

/** Name, in a check's `comparedTo`, of the experiment that a task begins with. */
export const startName = 'start';

export function referenceProblems(front: z.infer<typeof lessonFrontSchema>): ReferenceProblem[] {
  const names = Object.keys(front.experiments);
  const problems: ReferenceProblem[] = [];
  const statements = new Set<string>();
  let shown: string | null = null;
  front.steps.forEach((step, index) => {
    const path = ['steps', index];
    shown = step.experiment ?? shown;
    if (step.experiment !== undefined && !names.includes(step.experiment)) {
      problems.push({
        path: [...path, 'experiment'],
        message: `there is no experiment "${step.experiment}".`,
        remedy: `Use one of: ${names.join(', ')}.`,
      });
    }
    const checks = [
      ...(step.task?.checks ?? []),
      ...step.holds.flatMap((statement) => statement.checks),
      ...(step.question !== undefined && 'proof' in step.question ? step.question.proof : []),
    ];
    if (shown === null && (checks.length > 0 || step.question !== undefined)) {
      problems.push({
        path,
        message: 'the step checks a run, and has no experiment.',
        remedy: 'Give it an "experiment".',
      });
    }
    for (const base of checks.flatMap(comparedTo)) {
      if (names.includes(base) || (base === startName && step.task !== undefined)) continue;
      problems.push({
        path,
        message: `a check compares with "${base}", which is no experiment.`,
        remedy: `Use one of: ${[...names, ...(step.task === undefined ? [] : [startName])].join(', ')}.`,
      });
    }
    for (const { id } of step.holds) {
      if (statements.has(id)) {
        problems.push({
          path: [...path, 'holds'],
          message: `two statements are called "${id}".`,
          remedy: 'Rename one.',
        });
      }
      statements.add(id);
    }
  });
  return problems;
}

/** Returns the names of experiments that the check compares with. */
export const comparedTo = (check: Check): string[] =>
  'verdict' in check || check.measure.comparedTo === undefined ? [] : [check.measure.comparedTo];
