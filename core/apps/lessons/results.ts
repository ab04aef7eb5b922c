/**
 * A student's results as a file for the teacher: answers and tasks by lesson. It contains nothing about its author
 * except a name, if one was typed.
 */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { csvCell } from '../../media.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { parseJson } from '../../shape/parseJson.ts';
import { isChoice, type Lesson, type LessonStep } from './lesson.ts';

export const resultsFormat = 'copyscope/lesson-results';

const text = z.string().max(2000);

const taskResultSchema = z.strictObject({
  step: z.number().int().min(1),
  title: text,
  solved: z.boolean(),
  /** Number of opened hints. */
  hints: z.number().int().min(0),
});

const answerResultSchema = z.strictObject({
  step: z.number().int().min(1),
  ask: text,
  /** Answer as given; null if the student had it shown instead. */
  answer: text.nullable(),
  /** Null if there is no answer, or it is a number, which only a run can judge. */
  right: z.boolean().nullable(),
});

const lessonResultSchema = z.strictObject({
  lesson: z.string().min(1).max(200),
  title: text,
  done: z.boolean(),
  tasks: z.array(taskResultSchema).max(40),
  answers: z.array(answerResultSchema).max(40),
});

const resultsSchema = z.strictObject({
  format: z.literal(resultsFormat),
  version: z.literal(1),
  name: z.string().max(200).optional(),
  lessons: z.array(lessonResultSchema).max(1000),
});

export type LessonResult = z.infer<typeof lessonResultSchema>;
export type LessonResults = z.infer<typeof resultsSchema>;

/** Progress that the window stores for a lesson: answers by step, solved tasks, opened hints. */
export interface KeptProgress {
  readonly answers: Readonly<Record<number, number | null>>;
  readonly passed: readonly number[];
  readonly hints: Readonly<Record<number, number>>;
  readonly finished: boolean;
}

/** Returns whether a lesson is done: its tasks are solved, or, if it has none, its end was reached. */
export const isDone = ({ passed, finished }: KeptProgress, tasks: readonly number[]): boolean =>
  tasks.length === 0 ? finished : tasks.every((step) => passed.includes(step));

/** Returns the positions of the steps with a task. */
export const tasksOf = (steps: readonly LessonStep[]): number[] =>
  steps.flatMap(({ task }, index) => (task === undefined ? [] : [index]));

export function lessonResult(lesson: Lesson, progress: KeptProgress): LessonResult {
  const tasks = tasksOf(lesson.steps);
  return {
    lesson: lesson.id,
    title: lesson.title,
    done: isDone(progress, tasks),
    tasks: tasks.map((step) => ({
      step: step + 1,
      title: lesson.steps[step]?.title ?? '',
      solved: progress.passed.includes(step),
      hints: progress.hints[step] ?? 0,
    })),
    answers: lesson.steps.flatMap(({ question }, step) => {
      const given = progress.answers[step];
      if (question === undefined || given === undefined) return [];
      const asked = { step: step + 1, ask: question.ask };
      if (given === null) return [{ ...asked, answer: null, right: null }];
      if (!isChoice(question)) return [{ ...asked, answer: `${given} ${question.unit}`, right: null }];
      const choice = question.choices[given];
      return [{ ...asked, answer: choice?.text ?? null, right: choice?.right ?? null }];
    }),
  };
}

export const results = (lessons: readonly LessonResult[], name: string): LessonResults => ({
  format: resultsFormat,
  version: 1,
  ...(name.trim() === '' ? {} : { name: name.trim() }),
  lessons: [...lessons],
});

/** Throws `results.invalid` with the file's name and the problem. */
export function requireResults(file: string, content: string): LessonResults {
  const parsed = parseJson(content);
  const shape = parsed.ok ? checkShape(resultsSchema, parsed.json) : null;
  if (shape?.ok === true) return shape.value;
  const problem = shape?.problems[0];
  throw new CopyscopeError({
    code: 'results.invalid',
    field: problem?.field ?? 'document',
    message: `${file} has no results of lessons${problem === undefined ? '' : `: ${problem.field}: ${problem.message}`}.`,
    remedy: 'Choose files that “Export my results” on the page Lessons wrote.',
  });
}

export interface CollectedFile {
  readonly file: string;
  readonly results: LessonResults;
}

/** Results of a class as a table: a row for each file, a column for each lesson that anyone began. */
export interface ResultsTable {
  readonly lessons: readonly { readonly id: string; readonly title: string }[];
  readonly rows: readonly ResultsRow[];
}

export interface ResultsRow {
  /** Typed name, or else the file's name. */
  readonly who: string;
  readonly done: number;
  /** Results by lesson; null if the lesson wasn't begun. */
  readonly cells: readonly (LessonResult | null)[];
}

export function resultsTable(files: readonly CollectedFile[]): ResultsTable {
  const titles = new Map(
    files.flatMap(({ results: { lessons } }) => lessons.map(({ lesson, title }) => [lesson, title])),
  );
  const lessons = [...titles].map(([id, title]) => ({ id, title }));
  const rows = files.map(({ file, results: given }) => ({
    who: given.name ?? file.replace(/\.json$/i, ''),
    done: given.lessons.filter(({ done }) => done).length,
    cells: lessons.map(({ id }) => given.lessons.find(({ lesson }) => lesson === id) ?? null),
  }));
  return { lessons, rows: rows.sort((a, b) => a.who.localeCompare(b.who, undefined, { numeric: true })) };
}

/** Returns for example 'done, 1 hint' or '0 of 1 tasks, 2 of 3 answers right'. */
export function cellText(result: LessonResult | null): string {
  if (result === null) return 'not begun';
  const { done, tasks, answers } = result;
  const hints = tasks.reduce((sum, task) => sum + task.hints, 0);
  const judged = answers.filter(({ right }) => right !== null);
  const parts = [
    done
      ? 'done'
      : tasks.length === 0
        ? 'begun'
        : `${tasks.filter(({ solved }) => solved).length} of ${counted(tasks.length, 'task')} solved`,
    ...(judged.length === 0
      ? []
      : [`${judged.filter(({ right }) => right === true).length} of ${counted(judged.length, 'answer')} right`]),
    ...(hints === 0 ? [] : [counted(hints, 'hint')]),
  ];
  return parts.join(', ');
}

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

/** Returns the table as CSV for spreadsheets. */
export function resultsCsv({ lessons, rows }: ResultsTable): string {
  const lines = [
    ['Name', 'Lessons done', ...lessons.map(({ title }) => title)],
    ...rows.map(({ who, done, cells }) => [who, String(done), ...cells.map(cellText)]),
  ];
  return `${lines.map((line) => line.map(csvCell).join(',')).join('\r\n')}\r\n`;
}
