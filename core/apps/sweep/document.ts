/**
 * A sweep: one program with one or two varied numbers or names. Plain JSON like an experiment:
 *
 *   {
 *     "format": "copyscope/sweep", "version": 1, "name": "Chunk size by streams",
 *     "base": { "template": "chunked-pipeline", "parameters": { "bytes": "64 MiB" } },
 *     "axes": [
 *       { "parameter": "chunkBytes", "from": "1 MiB", "to": "64 MiB", "points": 7, "scale": "geometric" },
 *       { "parameter": "streams", "values": [1, 2, 3, 4, 5] }
 *     ]
 *   }
 *
 * The base is a template with its parameters, or a whole experiment. An axis varies a parameter of the template, or fields
 * of the experiment by path, such as "buffers[0].bytes"; all fields of one axis get the same value. A field with several
 * allowed names (a buffer's memory, a stream, a strategy) takes names: ["pageable", "pinned"].
 */
import { z } from 'zod';
import { documentHead, nameSchema } from '../../experiment/resources.ts';

export const sweepFormat = 'copyscope/sweep';
export const sweepVersion = 1;

/** Limit of points, because each one's run is kept. */
export const mostPoints = 1000;

/** Number in base units (bytes, nanoseconds), text with a unit ("1 MiB", "20 us"), or one of the names ("pinned"). */
const amountSchema = z.union([z.number(), z.string().min(1).max(60)]);
export type Amount = z.infer<typeof amountSchema>;

const axisSchema = z.strictObject({
  label: z.string().min(1).max(80).optional().describe('Name of the axis.'),
  parameter: z.string().min(1).max(60).optional().describe('A parameter of the template.'),
  fields: z
    .array(z.string().min(1).max(400))
    .min(1)
    .max(64)
    .optional()
    .describe('Paths of numbers of the experiment, as buffers[0].bytes: all get the same value.'),
  values: z.array(amountSchema).min(1).max(mostPoints).optional().describe('The values; else from, to and points.'),
  from: amountSchema.optional().describe('First value of a range.'),
  to: amountSchema.optional().describe('Last value of a range.'),
  points: z.number().int().min(2).max(mostPoints).optional().describe('How many values, both ends included.'),
  scale: z.enum(['linear', 'geometric']).optional().describe('linear: equal steps. geometric: equal factors.'),
});

/** Either a template or an experiment. parse.ts checks that, for a clear message. */
const baseSchema = z.strictObject({
  template: z.string().min(1).max(60).optional().describe('Name of a template.'),
  parameters: z
    .record(z.string().max(60), amountSchema)
    .optional()
    .describe('Parameters of the template that are not its standard: a number in base units, or a text as "64 MiB".'),
  /** Checked by parseExperiment(). */
  experiment: z.unknown().optional().describe('A whole experiment.'),
});

export const sweepSchema = z.strictObject({
  ...documentHead(sweepFormat, sweepVersion),
  name: nameSchema,
  description: z.string().max(10_000).default('').describe('Question of the sweep, in some sentences.'),
  base: baseSchema.describe('Program to run: a template with its parameters, or an experiment.'),
  axes: z.array(axisSchema).min(1).max(2).describe('One or two things that vary.'),
});

export type SweepDocument = z.infer<typeof sweepSchema>;
export type SweepAxis = z.infer<typeof axisSchema>;
