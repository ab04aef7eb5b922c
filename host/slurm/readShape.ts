/** Reads files that other programs may have written: validates their shape, and names the wrong field. */
import type { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { checkShape, type ShapeProblem } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';

interface Told {
  readonly code: string;
  /** Subject of the message, such as 'Submission 3'. */
  readonly what: string;
  /** Remedy that replaces the field's own. */
  readonly remedy?: string;
}

/** Throws a CopyscopeError with `code`. */
export function readShape<Value>(schema: z.ZodType<Value>, text: string, { code, what, remedy }: Told): Value {
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
