/** A published table as a chart: the same cases from several sources side by side; null if a source lacks a value. */
import { z } from 'zod';
import { CopyscopeError } from '../../errors.ts';
import { checkShape } from '../../shape/checkShape.ts';

const text = z.string().min(1).max(300);

export const figureSchema = z
  .strictObject({
    format: z.literal('copyscope/figure'),
    version: z.literal(1),
    title: text,
    unit: z.enum(['ms', 'us', 'GB/s', 'calls']),
    /** Date of the newest measurement. */
    date: z.iso.date(),
    /** Names of the measured cases, in display order. */
    cases: z.array(text).min(1).max(40),
    series: z
      .array(
        z.strictObject({
          name: text,
          /** Source of the numbers: machine, versions and file. */
          source: z.string().min(1).max(1000),
          origin: z.enum(['published', 'measured', 'none published', 'not yet measured']),
          values: z.array(z.number().min(0).nullable()),
          /** Spread of each value, if known. */
          spread: z.array(z.number().min(0).nullable()).optional(),
        }),
      )
      .min(1)
      .max(8),
    /** Explains to the reader what the figure shows. */
    reading: z.string().max(2000),
  })
  .refine(({ cases, series }) => series.every(({ values }) => values.length === cases.length), {
    message: 'each series needs one value, or null, for each case',
    path: ['series'],
  })
  .refine(
    ({ series }) =>
      series.every(({ origin, values }) => origin.startsWith('no') === values.every((value) => value === null)),
    {
      message: 'a series without any value is "none published" or "not yet measured", and no other is',
      path: ['series'],
    },
  );

export type Figure = z.infer<typeof figureSchema>;

/** Throws a CopyscopeError `figure.invalid` that names the field. */
export function requireFigure(json: unknown): Figure {
  const shape = checkShape(figureSchema, json);
  if (shape.ok) return shape.value;
  const [{ field, message, remedy }] = shape.problems;
  throw new CopyscopeError({ code: 'figure.invalid', field, message, remedy });
}
