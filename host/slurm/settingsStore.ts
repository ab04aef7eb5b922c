/** Settings for submitting this user's jobs: one file in the data folder. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { z } from 'zod';
import { noSettings, type SlurmSettings, slurmSettingsSchema } from '../../core/apps/slurm/settings.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { checkShape, type ShapeProblem } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { privately, readBoundedText, writeWhole } from '../files/files.ts';

/** Reads files that other programs may have written: validates their shape, and names the wrong field. */
interface ErrorTexts {
  readonly code: string;
  /** Subject of the message, such as 'Submission 3'. */
  readonly what: string;
  /** Remedy that replaces the field's own. */
  readonly remedy?: string;
}

/** Throws a CopyscopeError with `code`. */
export function readShape<Value>(schema: z.ZodType<Value>, text: string, { code, what, remedy }: ErrorTexts): Value {
  const refusal = ({ field, message, remedy: standard }: Pick<ShapeProblem, 'field' | 'message' | 'remedy'>) =>
    new CopyscopeError({
      code,
      field,
      message: `${what} can't be read: ${field}: ${message}`,
      remedy: remedy ?? standard,
    });
  const parsed = parseJson(text);
  if (!parsed.ok) throw refusal({ ...parsed, field: 'document' });
  const shape = checkShape(schema, parsed.json);
  if (shape.ok) return shape.value;
  throw refusal(shape.problems[0]);
}

const schema = z.object({
  format: z.literal('copyscope/slurm-settings'),
  version: z.literal(1),
  settings: slurmSettingsSchema,
});

const fileIn = (dataFolder: string): string => join(dataFolder, 'slurm-settings.json');

/** Rejects with `slurm.settings` if the file is damaged. */
export async function readSettings(dataFolder: string): Promise<SlurmSettings> {
  const path = fileIn(dataFolder);
  const text = await readBoundedText(path, 1024 * 1024).catch((error: CopyscopeError) => {
    if (error.code === 'file.not-found') return null;
    throw error;
  });
  return text === null ? noSettings : parseSettings(text, path);
}

/** Throws `slurm.settings`. */
export const parseSettings = (text: string, path: string): SlurmSettings =>
  readShape(schema, text, { code: 'slurm.settings', what: path }).settings;

export const writeSettings = (dataFolder: string, settings: SlurmSettings): Promise<void> => {
  const file = { format: 'copyscope/slurm-settings', version: 1, settings };
  return writeWhole(fileIn(dataFolder), `${JSON.stringify(file, null, 2)}\n`, privately);
};

/** Returns true if sbatch is on PATH, and jobs can run this program, which needs plain Node and not Electron. */
export const hasSlurm = ({ PATH = '' }: NodeJS.ProcessEnv): boolean =>
  process.versions['electron'] === undefined &&
  PATH.split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, 'sbatch')));
