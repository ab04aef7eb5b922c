/** From text or unknown JSON to an experiment, or to messages that name the field and the remedy. */
import type { z } from 'zod';
import type { ErrorInfo } from '../errors.ts';
import { CopyscopeError, describeError } from '../errors.ts';
import { type Experiment, experimentFormat, experimentSchema, experimentVersion, fieldPath } from './experiment.ts';
import { checkReferences } from './references.ts';
import { upgradeExperiment } from './upgrade.ts';

export type ParsedExperiment =
  | { readonly ok: true; readonly experiment: Experiment }
  | { readonly ok: false; readonly problems: readonly ErrorInfo[] };

/** Larger documents are refused before they are read: no experiment of 200,000 operations needs more. */
export const maxExperimentCharacters = 64 * 1024 * 1024;
/** JSON nested deeper than this is refused before validation, which recurses. */
const maxDepth = 64;

const failed = (message: string, remedy: string, field?: string): ParsedExperiment => ({
  ok: false,
  problems: [{ code: 'experiment.invalid', message, remedy, ...(field === undefined ? {} : { field }) }],
});

/** Reads an experiment document from text. Never throws. */
export function parseExperimentText(text: string): ParsedExperiment {
  if (text.length > maxExperimentCharacters) {
    return failed(
      `the document has ${text.length} characters; at most ${maxExperimentCharacters} are read.`,
      'Use repeat.',
    );
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    const remedy = 'Check for a truncated file, a missing comma or quote.';
    return failed(`this is not valid JSON: ${(error as Error).message}.`, remedy);
  }
  return parseExperiment(json);
}

/** Validates an unknown value as an experiment: shape, then references. Never throws. */
export function parseExperiment(json: unknown): ParsedExperiment {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    return failed('an experiment is a JSON object.', `Start with {"format": "${experimentFormat}", …}.`);
  }
  if (depth(json) > maxDepth) return failed(`the document is nested deeper than ${maxDepth} levels.`, 'Flatten it.');
  const fields = json as Record<string, unknown>;
  if (fields['format'] !== experimentFormat) {
    const message = `format is ${JSON.stringify(fields['format'])}, not "${experimentFormat}".`;
    return failed(message, 'Open an experiment document, or add that field.', 'format');
  }
  if (typeof fields['version'] === 'number' && fields['version'] > experimentVersion) {
    const message = `version ${fields['version']} is newer than this program reads (${experimentVersion}).`;
    return failed(message, 'Update Copyscope.', 'version');
  }
  const result = experimentSchema.safeParse(upgradeExperiment(fields));
  if (!result.success) return { ok: false, problems: result.error.issues.map(describeIssue) };
  const problems = checkReferences(result.data);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, experiment: result.data };
}

/** The experiment, or a CopyscopeError that lists every problem. */
export function requireExperiment(json: unknown): Experiment {
  const parsed = typeof json === 'string' ? parseExperimentText(json) : parseExperiment(json);
  if (parsed.ok) return parsed.experiment;
  throw experimentError(parsed.problems);
}

/** Several problems as one error: it carries the first one's field, and all of them in its message. */
export function experimentError(problems: readonly ErrorInfo[]): CopyscopeError {
  const [first, ...rest] = problems;
  if (first === undefined)
    return new CopyscopeError({ code: 'experiment.invalid', message: 'The experiment is invalid.' });
  if (rest.length === 0) return new CopyscopeError(first);
  const shown = rest.slice(0, 9).map((problem) => `\n${describeError(problem)}`);
  const more = rest.length > 9 ? `\n… and ${rest.length - 9} more.` : '';
  return new CopyscopeError({ ...first, remedy: `${first.remedy ?? ''}${shown.join('')}${more}` });
}

function describeIssue(issue: z.core.$ZodIssue): ErrorInfo {
  const field = fieldPath(issue.path);
  const base = { code: 'experiment.invalid', field: field === '' ? 'document' : field };
  if (issue.code === 'unrecognized_keys') {
    return {
      ...base,
      message: `unknown field ${issue.keys.map((key) => `"${key}"`).join(', ')}.`,
      remedy: 'Delete it, or correct its spelling.',
    };
  }
  const got = issue.input === undefined ? '' : ` (got ${JSON.stringify(issue.input)?.slice(0, 80)})`;
  return { ...base, message: `${issue.message}${got}.`, remedy: 'Correct this field.' };
}

function depth(value: unknown): number {
  let level = 0;
  let layer: unknown[] = [value];
  while (layer.length > 0 && level <= maxDepth) {
    layer = layer.flatMap((item) => (typeof item === 'object' && item !== null ? Object.values(item) : []));
    level += 1;
  }
  return level;
}
