/** Settings for every job that this user submits. */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { checkShape } from '../../shape/checkShape.ts';

/** One argument of sbatch's command line, which no shell reads. */
const word = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[^\p{C}\s]+$/u, 'It is one word, without spaces.');

/** Options that Copyscope sets itself, or that would change sbatch's output. */
const ours = 'array chdir error help input job-name output parsable test-only usage version wait wrap'.split(' ');

/** Returns whether Copyscope sets this option. sbatch accepts any prefix of an option's name. */
function isOurs(option: string): boolean {
  const name = option.slice(2).split('=')[0] ?? '';
  return ours.some((own) => own.startsWith(name));
}

export const slurmSettingsSchema = z.strictObject({
  partition: word.optional(),
  account: word.optional(),
  /** GPUs of one job: '1', 'h200' or 'h200:2'. */
  gpus: z
    .string()
    .max(100)
    .regex(/^\w[\w.-]*(:[1-9]\d{0,2})?$/, 'GPUs are as 1, h200 or h200:2.')
    .optional(),
  /** Time limit of one job, in sbatch's notation. */
  time: z
    .string()
    .max(20)
    .regex(/^(\d+-)?\d+(:\d+){0,2}$/, 'A time is in minutes, or as hours:minutes:seconds, or days-hours.')
    .optional(),
  /** Limit of an array's jobs that run at once. */
  atOnce: z.number().int().min(1).max(100_000).optional(),
  /** Shell lines that run before the program, for example `module load cuda`. */
  lines: z
    .array(
      z
        .string()
        .min(1)
        .max(1000)
        .regex(/^[^\p{Cc}]+$/u, 'It is one line.'),
    )
    .max(40)
    .default([]),
  /** Further options of sbatch, for example --qos=short. */
  options: z
    .array(
      word.regex(/^--[a-z]/, 'It is an option of sbatch, as --qos=short.').refine((option) => !isOurs(option), {
        message: 'Copyscope sets this one itself.',
      }),
    )
    .max(40)
    .default([]),
});
export type SlurmSettings = z.infer<typeof slurmSettingsSchema>;

export const noSettings: SlurmSettings = { lines: [], options: [] };

/** Throws `slurm.settings` with the problem. */
export function requireSettings(value: unknown): SlurmSettings {
  const shape = checkShape(slurmSettingsSchema, value);
  if (shape.ok) return shape.value;
  const { field, message, remedy } = shape.problems[0];
  throw new CopyscopeError({ code: 'slurm.settings', field, message, ...(remedy === undefined ? {} : { remedy }) });
}
