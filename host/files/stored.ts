/** Reads JSON files of this program, which other programs may have changed. */
import type { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { checkShape, type ShapeProblem } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { readBoundedText } from './files.ts';

interface ErrorTexts {
  readonly code: string;
  /** Subject of the message, such as 'Submission 3'. */
  readonly what: string;
  /** Remedy that replaces the field's own. */
  readonly remedy?: string;
}

/** Throws a CopyscopeError with `code` that names the wrong field. */
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

/** Returns null if there is no such file. Rejects with another file error. */
export const readTextIfThere = (path: string, maxBytes: number): Promise<string | null> =>
  readBoundedText(path, maxBytes).catch((error: CopyscopeError) => {
    if (error.code === 'file.not-found') return null;
    throw error;
  });

/** Returns null if the file is missing or damaged: for files that the program can do without. */
export async function readIfSound<Value>(
  schema: z.ZodType<Value>,
  path: string,
  maxBytes: number,
): Promise<Value | null> {
  const parsed = parseJson(await readBoundedText(path, maxBytes).catch(() => ''));
  const shape = parsed.ok ? checkShape(schema, parsed.json) : null;
  return shape?.ok === true ? shape.value : null;
}
