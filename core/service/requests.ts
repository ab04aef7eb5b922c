/** Schemas of a window's requests. The host applies them before any function of the service sees a value. */
import { z } from 'zod';
import { CopyscopeError } from '../errors.ts';
import { engineKinds } from '../program/engineKind.ts';
import { checkShape } from '../shape/checkShape.ts';
import { fieldPath } from '../shape/path.ts';
import { runNotesSchema } from '../trace/notes.ts';
import { endings } from './remotes.ts';
import type { HostService } from './service.ts';
import { settledPredictionSchema } from './settled.ts';
import { type StartKind, startKinds } from './starts.ts';

/**
 * Ids of examples, experiments, runs and profiles: lower-case names with '/' between them. No dot, no backslash and no
 * empty part, so that an id can never name anything outside its folder.
 */
export const idSchema = z
  .string()
  .max(240)
  .regex(
    /^[a-z0-9][a-z0-9_-]*(\/[a-z0-9][a-z0-9_-]*)*$/,
    'is not an id: only a-z, 0-9, "-", "_" and "/" may be in one',
  );

const nameSchema = z.string().min(1).max(255);

/** The host decides which names ssh may take. */
const remoteSchema = z.string().min(1).max(200);

const startRunSchema = z.strictObject({
  experiment: z.unknown(),
  engine: z.enum(engineKinds),
  profile: idSchema.optional(),
  iterations: z.number().int().min(1).max(1000).optional(),
  whileRecording: z.boolean().optional(),
});

const ticketSchema = z.uuid();
/** Limit for each kind. */
const mostItems = 10_000;
export const itemsSchema = z.strictObject({
  experiments: z.array(idSchema).max(mostItems),
  runs: z.array(idSchema).max(mostItems),
  sweeps: z.array(idSchema).max(mostItems),
});

const draftSchema = z.strictObject({
  changedAt: z.iso.datetime(),
  experiment: z.unknown(),
});

const startSweepSchema = z.strictObject({
  sweep: z.unknown(),
  engine: z.enum(engineKinds),
  profile: idSchema.optional(),
  iterations: z.number().int().min(1).max(1000).optional(),
  slurm: z.strictObject({ pointsPerJob: z.number().int().min(1).max(1000) }).optional(),
});

/** The system allows no NUL in an argument, a path or a variable. */
const systemText = (most: number) =>
  z
    .string()
    .max(most)
    .refine((text) => !text.includes('\0'), 'has a NUL character');
const mostWords = 4096;
const mostVariables = 1000;
const seconds = z.number().min(0).max(1e6);
const stepNumber = z.number().int().min(1).max(1e9);

const startRecordingSchema = z.strictObject({
  command: z
    .tuple([systemText(4096).min(1)], systemText(131_072))
    .refine((words) => words.length <= mostWords, `has more than ${mostWords} words`),
  folder: systemText(4096),
  environment: z
    .record(
      z
        .string()
        .max(255)
        .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'is not the name of a variable'),
      systemText(131_072),
    )
    .refine((all) => Object.keys(all).length <= mostVariables, `more than ${mostVariables} variables`),
  light: z.boolean(),
  lines: z.boolean(),
  delayS: seconds.optional(),
  durationS: seconds.optional(),
  steps: z
    .strictObject({ from: stepNumber, to: stepNumber })
    .refine(({ from, to }) => from <= to, 'ends before it begins')
    .optional(),
  stepRange: systemText(200).min(1).optional(),
});

/** Arguments of every function of HostService. */
const requestSchemas = {
  about: z.tuple([]),
  devices: z.tuple([z.boolean()]),
  remotes: z.tuple([]),
  connectRemote: z.tuple([remoteSchema]),
  answerRemote: z.tuple([remoteSchema, z.boolean()]),
  endRemote: z.tuple([remoteSchema, z.enum(endings)]),
  slurm: z.tuple([]),
  profiles: z.tuple([]),
  readProfile: z.tuple([idSchema]),
  settled: z.tuple([z.string().min(1).max(200)]),
  keepSettled: z.tuple([settledPredictionSchema]),
  examples: z.tuple([]),
  readExample: z.tuple([idSchema]),
  lessons: z.tuple([]),
  readLesson: z.tuple([idSchema]),
  experiments: z.tuple([]),
  readExperiment: z.tuple([idSchema]),
  saveExperiment: z.tuple([idSchema.nullable(), z.unknown()]),
  readDraft: z.tuple([idSchema]),
  keepDraft: z.tuple([idSchema, draftSchema.nullable()]),
  startRun: z.tuple([startRunSchema]),
  cancelRun: z.tuple([idSchema]),
  startRecording: z.tuple([startRecordingSchema]),
  stopRecording: z.tuple([ticketSchema, z.boolean()]),
  recording: z.tuple([]),
  runs: z.tuple([]),
  runFile: z.tuple([idSchema]),
  readRun: z.tuple([idSchema]),
  sweeps: z.tuple([]),
  readSweep: z.tuple([idSchema]),
  startSweep: z.tuple([startSweepSchema]),
  continueSweep: z.tuple([idSchema, z.boolean()]),
  cancelSweep: z.tuple([idSchema]),
  renameRun: z.tuple([idSchema, z.string().max(200)]),
  renameSweep: z.tuple([idSchema, z.string().trim().min(1).max(200)]),
  deleteItems: z.tuple([itemsSchema]),
  restoreItems: z.tuple([z.string().regex(/^[0-9a-f-]{1,100}$/)]),
  beginImport: z.tuple([z.strictObject({ name: nameSchema, modifiedAt: z.iso.datetime() })]),
  importPart: z.tuple([ticketSchema, z.instanceof(Uint8Array)]),
  endImport: z.tuple([ticketSchema]),
  joinRanks: z.tuple([z.array(idSchema).max(256)]),
  cancelImport: z.tuple([ticketSchema]),
  packBundle: z.tuple([itemsSchema]),
  readNotes: z.tuple([idSchema]),
  saveNotes: z.tuple([idSchema, z.strictObject({ notes: runNotesSchema, by: z.uuid() })]),
} satisfies { readonly [Name in keyof HostService]: z.ZodType<Parameters<HostService[Name]>> };

export type HostFunction = keyof HostService;

export const hostFunctions = Object.keys(requestSchemas) as readonly HostFunction[];

export const isHostFunction = (name: string): name is HostFunction => Object.hasOwn(requestSchemas, name);

/** Returns the validated arguments, or throws a CopyscopeError `request.invalid` that names the argument. */
export const requireArguments = <Name extends HostFunction>(name: Name, args: unknown): Parameters<HostService[Name]> =>
  requireShape<unknown>(name, requestSchemas[name], args) as Parameters<HostService[Name]>;

/** Returns the argument of allowStarts(). Throws like requireArguments(). */
export const requireKind = (args: unknown): StartKind =>
  requireShape('allowStarts', z.tuple([z.enum(startKinds)]), args)[0];

function requireShape<Value>(name: string, schema: z.ZodType<Value>, args: unknown): Value {
  const shape = checkShape(schema, args);
  if (shape.ok) return shape.value;
  const [{ path, message, remedy }] = shape.problems;
  throw new CopyscopeError({ code: 'request.invalid', field: `${name}${fieldPath(path)}`, message, remedy });
}
