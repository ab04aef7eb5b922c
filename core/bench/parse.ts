/** A benchmark from a file, which may be truncated, huge or hostile: what is read of it is checked. */
import { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { checkShape } from '../shape/checkShape.ts';
import { parseJson } from '../shape/parseJson.ts';
import { type BenchDocument, benchFormat, benchSections, benchVersion } from './document.ts';

export const maxBenchCharacters = 64 * 1024 * 1024;

const figureSchema = z.looseObject({
  name: z.string().max(100),
  unit: z.enum(['B/s', 'ns', 'operations']),
  median: z.number(),
  least: z.number(),
  most: z.number(),
  samples: z.array(z.number()).max(100_000),
});

const rowSchema = z.looseObject({
  section: z.enum(benchSections),
  row: z.string().max(200),
  column: z.string().max(200),
  status: z.enum(['done', 'waived', 'failed']),
  figures: z.array(figureSchema).max(100),
  bytes: z.number().min(0).optional(),
});

const benchSchema = z.looseObject({
  format: z.literal(benchFormat),
  version: z.literal(benchVersion),
  createdAt: z.iso.datetime(),
  device: z.looseObject({
    name: z.string().max(200),
    linkGeneration: z.number().nullable(),
    linkWidth: z.number().nullable(),
  }),
  rows: z.array(rowSchema).max(100_000),
});

export type BenchFile = Pick<BenchDocument, 'createdAt'> & {
  readonly device: Pick<BenchDocument['device'], 'name' | 'linkGeneration' | 'linkWidth'>;
  readonly rows: readonly Pick<BenchDocument['rows'][number], 'section' | 'column' | 'status' | 'figures' | 'bytes'>[];
};

/** Throws a CopyscopeError `bench-file.invalid` that names the field. */
export function requireBench(text: string): BenchFile {
  if (text.length > maxBenchCharacters)
    throw invalid('document', `the file has ${text.length} characters; at most ${maxBenchCharacters} are read.`);
  const parsed = parseJson(text);
  if (!parsed.ok) throw invalid('document', parsed.message);
  const shape = checkShape(benchSchema, parsed.json);
  if (shape.ok) return shape.value as BenchFile;
  const [{ field, message }] = shape.problems;
  throw invalid(field, message);
}

const invalid = (field: string, message: string): CopyscopeError =>
  new CopyscopeError({
    code: 'bench-file.invalid',
    field,
    message,
    remedy: 'Open a file that `copyscope bench --json` or `--out` has written.',
  });
