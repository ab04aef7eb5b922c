/** What jobs are to do: one file, which each of them reads. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CopyscopeError } from '../../core/errors.ts';
import { engineKinds } from '../../core/program/engineKind.ts';
import { checkShape } from '../../core/shape/checkShape.ts';
import { parseJson } from '../../core/shape/parseJson.ts';
import { mostPoints, sweepSchema } from '../../core/sweep/document.ts';

const workSchema = z.object({
  format: z.literal('copyscope/slurm-work'),
  version: z.literal(1),
  createdAt: z.iso.datetime(),
  /** What its runs say of where they ran, behind the node's name; null where Slurm is this machine's own. */
  host: z.string().min(1).max(100).nullable(),
  engine: z.enum(engineKinds),
  /** The simulator's. */
  profile: z.object({ name: z.string().max(200), json: z.unknown() }).nullable(),
  iterations: z.number().int().min(1).max(1000).nullable(),
  points: z.number().int().min(1).max(mostPoints),
  sweep: sweepSchema,
});
export type Work = z.infer<typeof workSchema>;

/** Of what is done and not of when it was asked for: who asks again goes on with it. */
export function workId({ engine, profile, iterations, sweep }: Work): string {
  const text = JSON.stringify([sweep, engine, profile, iterations]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Of a folder's name and of jobs' names, since what is asked for comes from elsewhere. */
export const workIdPattern = /^[0-9a-f]{16}$/;

export const workText = (work: Work): string => `${JSON.stringify(work)}\n`;

/** Throws `slurm.damaged`. */
export function readWork(text: string): Work {
  const parsed = parseJson(text);
  const shape = checkShape(workSchema, parsed.ok ? parsed.json : null);
  if (shape.ok) return shape.value;
  const { field, message } = shape.problems[0];
  throw new CopyscopeError({ code: 'slurm.damaged', message: `The sweep there can't be read: ${field}: ${message}` });
}
