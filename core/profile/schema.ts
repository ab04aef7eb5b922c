/** File format of a device profile: its facts, and the parameters of the registry. */
import { z } from 'zod';
import { schemaAddressSchema } from '../experiment/resources.ts';
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

const shapeOf = ({ unit, by, without }: Parameter) => {
  const shape = by === undefined ? values[unit] : tableOf(by);
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
  name: z.string().min(1).max(200),
  computeCapability: z.string().max(20),
  multiprocessors: z.number().int().min(1).max(100_000),
  /** If 1, both directions share it; with two or more, each has its own. */
  asyncEngineCount: z.number().int().min(0).max(64),
  memoryBytes: byteCount,
  linkGeneration: z.number().nullable(),
  linkWidth: z.number().nullable(),
  /** Whether cudaMalloc waits for all work of the device, as cudaFree does. */
  mallocSynchronizes: z.boolean().default(true),
});

/** A calibration's measurements of one parameter. The profile has their median. */
const measurementSchema = z.strictObject({
  /** Name in the registry; for a point of a table, with its key: 'copies.h2d.pinned @ 4096 bytes'. */
  parameter: z.string().min(1).max(200),
  median: z.number(),
  least: z.number(),
  most: z.number(),
  samples: z.number().int().min(1),
  /** Experiment or measurement that it comes from. */
  probe: z.string().min(1).max(200),
});

/** measured: on such a machine. published: from published figures; unpublished values are assumed. */
export const profileBases = ['measured', 'published'] as const;

export const profileSchema = z.strictObject({
  $schema: schemaAddressSchema.optional(),
  format: z.literal(profileFormat),
  version: z.literal(profileVersion),
  name: z.string().min(1).max(200),
  /** Source of the numbers. */
  source: text,
  basis: z.enum(profileBases).default('measured'),
  /** Number of measured machines; missing if it is one. */
  machines: z.number().int().min(1).max(1_000_000).optional(),
  /** Name of the remote host it was measured on; missing for this machine. */
  host: z.string().min(1).max(200).optional(),
  device: deviceSchema,
  parameters: parametersSchema,
  /** Sources of some parameters, by the first part of their names. */
  sources: z.record(z.string().max(100), text).optional(),
  /** Measurements of `copyscope calibrate`; missing in a profile made by hand. */
  measurements: z.array(measurementSchema).max(10_000).optional(),
});
