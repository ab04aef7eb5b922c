/** A lesson: the fields of its front part (docs/guide/lessons.md describes them for teachers) and the text of each step. */
import { z } from 'zod';
import { ruleIds } from '../../rules/rules.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { checkSchema, parsed } from './check.ts';
import { keepNames } from './keep.ts';
import { measureSchema } from './measure.ts';

export const lessonFormat = 'copyscope/lesson';
export const lessonVersion = 1;

const name = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,39}$/, 'is not a name: only a-z, 0-9 and "-", beginning with a letter');
const line = z.string().min(1).max(300);
const prose = z.string().min(1).max(4000);
const assetId = z.string().regex(/^[a-z0-9][a-z0-9-]*(\/[a-z0-9][a-z0-9-]*)*$/, 'is no id of an example or a run');

const experimentSchema = z
  .strictObject({
    /** Id of an example that ships with the program. Alternative to `document`. */
    example: assetId.optional(),
    /** Complete experiment. Alternative to `example`. */
    document: z.record(z.string(), z.unknown()).optional(),
    /** Id of a recorded run of it that ships with the program, or 'none yet'. */
    recorded: z.union([z.literal('none yet'), assetId]).default('none yet'),
  })
  .refine(({ example, document }) => (example === undefined) !== (document === undefined), {
    message: 'needs either "example" or "document"',
  });

const choiceQuestionSchema = z.strictObject({
  ask: line,
  choices: z
    .array(z.strictObject({ text: line, right: z.boolean().default(false), why: prose }))
    .min(2)
    .max(8)
    .refine((choices) => choices.filter(({ right }) => right).length === 1, 'exactly one choice is right: true'),
  /** Checks on the step's experiment that prove the right choice. */
  proof: z.array(checkSchema).min(1),
});

const numberQuestionSchema = z.strictObject({
  ask: line,
  /** Unit shown after the field, for example 'ms'. unitFactors converts it to the measure's unit. */
  unit: z.enum(['ns', 'us', 'ms', 's', '%', 'MiB', 'GB/s', 'times', 'calls']),
  answer: measureSchema,
  /** Answers up to this factor too large or too small count as right. */
  within: z.number().min(1).max(100).default(2),
  why: prose,
});

const questionSchema = z.looseObject({ ask: line }).transform((value, context): ChoiceQuestion | NumberQuestion => {
  const schema: z.ZodType<ChoiceQuestion | NumberQuestion> =
    'choices' in value ? choiceQuestionSchema : numberQuestionSchema;
  return parsed(checkShape(schema, value), context);
});

const taskSchema = z.strictObject({
  do: prose,
  checks: z.array(checkSchema).min(1).max(12),
  /** Parts of the experiment that a solution must keep. */
  keep: z.array(z.enum(keepNames)).default([]),
  hints: z.array(prose).max(8).default([]),
});

const statementSchema = z.strictObject({
  id: name,
  says: line,
  checks: z.array(checkSchema).min(1),
  /** Kinds of run for which it must hold. Use recorded runs only for what a simulation can't show. */
  on: z
    .array(z.enum(['simulated', 'recorded']))
    .min(1)
    .default(['simulated', 'recorded']),
});

const stepSchema = z
  .strictObject({
    title: line,
    /** Name of one of the lesson's experiments. Default: the experiment of the step before, with its changes. */
    experiment: name.optional(),
    /** Lanes (by name) and operations (by label) that the step points out. */
    show: z.strictObject({ lanes: z.array(line).default([]), operations: z.array(line).default([]) }).optional(),
    question: questionSchema.optional(),
    task: taskSchema.optional(),
    holds: z.array(statementSchema).default([]),
    /** Id of a figure that ships with the program. */
    figure: assetId.optional(),
  })
  .refine(({ question, task }) => question === undefined || task === undefined, {
    message: 'a step has a question or a task, not both',
  });

export const lessonFrontSchema = z.strictObject({
  format: z.literal(lessonFormat),
  version: z.literal(lessonVersion),
  title: line,
  /** One sentence: what the learner can do or explain afterwards. */
  summary: line,
  group: line,
  order: z.number().min(0).max(10_000).default(1000),
  minutes: z.number().int().min(1).max(120),
  source: z.array(line).min(1),
  /** Differences between this machine and the one in the source text. */
  differs: z.string().max(2000).default(''),
  rules: z.array(z.enum(ruleIds)).default([]),
  experiments: z.record(name, experimentSchema),
  steps: z.array(stepSchema).min(1).max(40),
});

type Front = z.infer<typeof lessonFrontSchema>;
export type LessonQuestion = NonNullable<Front['steps'][number]['question']>;
export type ChoiceQuestion = z.infer<typeof choiceQuestionSchema>;
export type NumberQuestion = z.infer<typeof numberQuestionSchema>;
export type LessonTask = z.infer<typeof taskSchema>;
export type LessonStep = Front['steps'][number] & {
  /** Markdown. */
  readonly text: string;
  /** Experiment that the step begins with, and the step that introduced it; null if there is none. */
  readonly shown: { readonly name: string; readonly step: number } | null;
};

export interface Lesson extends Omit<Front, 'steps'> {
  readonly id: string;
  readonly steps: readonly LessonStep[];
}

export const isChoice = (question: LessonQuestion): question is ChoiceQuestion => 'choices' in question;

/** Factor that converts a question's unit to the measure's unit. */
export const unitFactors: Readonly<Record<NumberQuestion['unit'], number>> = {
  ns: 1,
  us: 1e3,
  ms: 1e6,
  s: 1e9,
  '%': 0.01,
  MiB: 2 ** 20,
  'GB/s': 1e9,
  times: 1,
  calls: 1,
};
