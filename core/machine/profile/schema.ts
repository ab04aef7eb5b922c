/** File format of a device profile: its facts, and the parameters of the registry. */
import { z } from 'zod';
import { documentHead, nameSchema } from '../../experiment/resources.ts';
import {
  type Parameter,
  type ParameterName,
  type PointKey,
  parameterNames,
  parameterOf,
  type registry,
  tableKeys,
} from './registry.ts';

export const profileFormat = 'copyscope/profile';
export const profileVersion = 2;

const text = z.string().min(1).max(4000);
const byteCount = z
  .number()
  .int()
  .min(1)
  .max(2 ** 50);

const values = {
  ns: z.number().min(0).max(1e15),
  part: z.number().min(0).max(100),
  'B/s': z.number().positive().max(1e18),
  'flop/s': z.number().positive().max(1e21),
  B: z
    .number()
    .int()
    .min(0)
    .max(2 ** 50),
  count: z.number().min(1).max(1e18),
} as const;

/** Points in ascending order of key; their values never fall. */
const tableOf = (by: PointKey) =>
  z
    .array(z.tuple([z.number().positive().max(1e18), z.number().positive().max(1e18)]))
    .min(1)
    .max(1000)
    .superRefine((points, context) => {
      points.forEach(([place, value], index) => {
        const before = points[index - 1];
        if (before === undefined) return;
        const refuse = (message: string): void => context.addIssue({ code: 'custom', path: [index], message });
        if (place <= before[0]) refuse(`${by} must ascend`);
        else if (value < before[1] && tableKeys[by] === 'ns') refuse('more of it must not take less time');
      });
    });

const shapeOf = ({ what, unit, by, without }: Parameter) => {
  const shape = (by === undefined ? values[unit] : tableOf(by)).describe(
    `${what} (${by === undefined ? unit : `${unit} by ${by}`})`,
  );
  return without === undefined ? shape : shape.optional();
};

/** [place, value], in the registry's units. */
export type Point = readonly [place: number, value: number];
type ValueOf<Row> = Row extends { readonly by: PointKey } ? readonly Point[] : number;
type Rows = typeof registry;
type Optional = {
  [Name in ParameterName]: Rows[Name] extends { readonly without: unknown } ? Name : never;
}[ParameterName];
export type ParameterValues = { readonly [Name in Exclude<ParameterName, Optional>]: ValueOf<Rows[Name]> } & {
  readonly [Name in Optional]?: ValueOf<Rows[Name]> | undefined;
};

const parametersSchema = z.strictObject(
  Object.fromEntries(parameterNames.map((name) => [name, shapeOf(parameterOf(name))])),
) as unknown as z.ZodType<ParameterValues>;

const deviceSchema = z.strictObject({
  name: nameSchema,
  computeCapability: z.string().max(20).describe('Compute capability, such as 9.0.'),
  multiprocessors: z.number().int().min(1).max(100_000).describe('Streaming multiprocessors.'),
  asyncEngineCount: z.number().int().min(0).max(64).describe('Copy engines: with one, both directions share it.'),
  memoryBytes: byteCount.describe('Memory of the GPU, in bytes.'),
  linkGeneration: z.number().nullable().describe('Generation of PCI Express; null if unknown.'),
  linkWidth: z.number().nullable().describe('Lanes of PCI Express; null if unknown.'),
  mallocSynchronizes: z.boolean().default(true).describe('Whether cudaMalloc waits for all work of the device.'),
});

/** A calibration's measurements of one parameter. The profile has their median. */
const measurementSchema = z.strictObject({
  /** For example 'copies.h2d.pinned @ 4096 bytes'. */
  parameter: z.string().min(1).max(200).describe('Name of the parameter, with the place in its table.'),
  median: z.number().describe('Median of the samples.'),
  least: z.number().describe('Least of the samples.'),
  most: z.number().describe('Most of the samples.'),
  samples: z.number().int().min(1).describe('Number of samples.'),
  probe: z.string().min(1).max(200).describe('Experiment or measurement that it comes from.'),
});

/** measured: on such a machine. published: from published figures; unpublished values are assumed. */
export const profileBases = ['measured', 'published'] as const;

export const profileSchema = z.strictObject({
  ...documentHead(profileFormat, profileVersion),
  name: nameSchema,
  source: text.describe('Source of the numbers.'),
  basis: z.enum(profileBases).default('measured').describe('Whether they were measured, or are published figures.'),
  machines: z.number().int().min(1).max(1_000_000).optional().describe('Number of measured machines; one if omitted.'),
  host: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe('Name of the remote host that was measured; omitted for this machine.'),
  device: deviceSchema.describe('The GPU.'),
  parameters: parametersSchema.describe('Parameters of the simulator; docs/reference/profile.md lists them.'),
  sources: z
    .record(z.string().max(100), text)
    .optional()
    .describe('Sources of some parameters, by the first part of their names.'),
  /** Left out where a profile was made by hand. */
  measurements: z.array(measurementSchema).max(10_000).optional().describe('Measurements of a calibration.'),
});
