/** Metadata of a run file: description and lanes as JSON, and plain keys for other readers. */
import { z } from 'zod';
import type { CopyscopeError, ErrorInfo } from '../../errors.ts';
import { type Experiment, eachOperation, experimentVersion } from '../../experiment/experiment.ts';
import { parseExperiment } from '../../experiment/parse.ts';
import { maxBufferBytes } from '../../experiment/resources.ts';
import { checkShape } from '../../shape/checkShape.ts';
import { parseJson } from '../../shape/parseJson.ts';
import { fieldPath } from '../../shape/path.ts';
import { type RunInfo, runDescriptionSchema, runFormat, runVersion } from '../run.ts';
import { copyDirections, type Lane, laneKinds, mostPauses, type Pause } from '../trace.ts';
import { damaged, runFileError } from './problems.ts';

export const metadataKeys = {
  /** JSON of the RunInfo and the lanes, for Copyscope itself. */
  run: 'copyscope',
  format: 'copyscope.format',
  version: 'copyscope.version',
  /** JSON of the experiment alone, for readers that only run it again. Missing if there is none. */
  experiment: 'copyscope.experiment',
} as const;

const maxMetadataCharacters = 128 * 1024 * 1024;
const maxLanes = 10_000;

const laneSchema = z
  .object({
    kind: z.enum(laneKinds),
    id: z.string().min(1).max(200),
    name: z.string().max(200),
    device: z.string().max(100),
    direction: z.enum(copyDirections).exactOptional(),
    communicator: z.string().max(1000).exactOptional(),
  })
  .refine((lane) => lane.direction === undefined || lane.kind === 'copy-engine', {
    path: ['direction'],
    message: 'belongs to copy engines only',
  });
const lanesSchema = z
  .array(laneSchema)
  .max(maxLanes)
  .refine((lanes) => new Set(lanes.map((lane) => lane.id)).size === lanes.length, { message: 'has an id twice' });
const pausesSchema = z
  .array(z.object({ fromNs: z.number(), toNs: z.number() }))
  .max(mostPauses)
  .refine((pauses) => pauses.every(({ fromNs, toNs }, at) => fromNs <= toNs && (pauses[at - 1]?.toNs ?? 0) <= fromNs), {
    message: 'the pauses are not in order of time',
  })
  .default([]);
type Refusal = (field: string, problem: string) => CopyscopeError;

/** The experiment is parsed separately, so that older versions of it are upgraded. */
export interface Description {
  readonly info: RunInfo;
  readonly lanes: readonly Lane[];
  readonly pauses?: readonly Pause[];
}

/** Throws `run-file.unwritable` if decodeMetadata would reject the result. */
export function encodeMetadata({ info, lanes, pauses = [] }: Description): Map<string, string> {
  const { experiment, ...description } = info;
  const refuse: Refusal = (field, problem) =>
    runFileError('run-file.unwritable', field, `the run can't be written: ${problem}`);
  check(runDescriptionSchema, description, metadataKeys.run, refuse);
  requireOneSource(info, refuse);
  check(lanesSchema, lanes, `${metadataKeys.run}.lanes`, refuse);
  check(pausesSchema, pauses, `${metadataKeys.run}.pauses`, refuse);
  return new Map([
    [metadataKeys.run, JSON.stringify({ ...info, lanes, ...(pauses.length === 0 ? {} : { pauses }) })],
    [metadataKeys.format, runFormat],
    [metadataKeys.version, String(runVersion)],
    ...(experiment === null ? [] : [[metadataKeys.experiment, JSON.stringify(experiment)] as const]),
  ]);
}

/** Checks that a run has either an experiment or the tool that it was imported from. */
function requireOneSource({ experiment, imported }: Pick<RunInfo, 'experiment' | 'imported'>, refuse: Refusal): void {
  if ((experiment === null) === (imported !== undefined)) return;
  const problem = experiment === null ? 'there is no experiment in it.' : 'an imported trace has no experiment.';
  throw refuse(metadataKeys.experiment, problem);
}

/** `known`: see decodeRun(). */
export function decodeMetadata(metadata: ReadonlyMap<string, string>, known: Experiment | null = null): Description {
  checkFormat(metadata);
  const { experiment, lanes, pauses, ...description } = readJson(metadata.get(metadataKeys.run));
  const described = check(runDescriptionSchema, description, metadataKeys.run, damaged);
  // A file without `imported` must contain a valid experiment.
  const isImported = described.imported !== undefined && experiment === null;
  const info = { ...described, experiment: isImported ? null : (known ?? decodeExperiment(experiment)) };
  requireOneSource(info, damaged);
  return {
    info,
    lanes: check(lanesSchema, lanes, `${metadataKeys.run}.lanes`, damaged),
    pauses: check(pausesSchema, pauses, `${metadataKeys.run}.pauses`, damaged),
  };
}

function checkFormat(metadata: ReadonlyMap<string, string>): void {
  const format = metadata.get(metadataKeys.format);
  if (format !== runFormat) {
    const said = format === undefined ? 'no' : `the ${JSON.stringify(format.slice(0, 80))}`;
    const message = `this Arrow file has ${said} "${metadataKeys.format}" in its metadata, so it is not a run.`;
    throw runFileError('run-file.not-a-run', metadataKeys.format, message);
  }
  const version = metadata.get(metadataKeys.version) ?? '';
  if (!/^[1-9][0-9]{0,8}$/.test(version)) throw damaged(metadataKeys.version, 'the format version is not a number.');
  if (Number(version) > runVersion) throw newer(metadataKeys.version, Number(version), runVersion);
}

function newer(field: string, version: number, known: number): CopyscopeError {
  const message = `version ${version} is newer than this program reads (${known}).`;
  return runFileError('run-file.newer-version', field, message);
}

function readJson(text: string | undefined): Record<string, unknown> {
  if (text === undefined) throw damaged(metadataKeys.run, 'the description of the run is missing.');
  if (text.length > maxMetadataCharacters) {
    const message = `the description has ${text.length} characters; at most ${maxMetadataCharacters} are read.`;
    throw runFileError('run-file.too-large', metadataKeys.run, message);
  }
  const parsed = parseJson(text);
  const json = parsed.ok ? parsed.json : null;
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Record<string, unknown>;
  throw damaged(metadataKeys.run, 'the description of the run is not a JSON object.');
}

/** Earlier engines raised the release threshold of pools, and their files don't contain it. */
function withThreshold(experiment: Experiment, json: unknown): Experiment {
  const { environment } = json as Partial<Experiment>;
  let isPooled = false;
  for (const { operations } of experiment.threads) {
    eachOperation(operations, (one) => {
      isPooled ||= one.op === 'allocate' && one.allocator === 'pool';
    });
  }
  if (!isPooled || environment?.poolReleaseThreshold !== undefined) return experiment;
  return { ...experiment, environment: { ...experiment.environment, poolReleaseThreshold: maxBufferBytes } };
}

function decodeExperiment(json: unknown): Experiment {
  const parsed = parseExperiment(json);
  if (parsed.ok) return withThreshold(parsed.experiment, json);
  const version = (json as { version?: unknown } | null | undefined)?.version;
  const field = (problem: ErrorInfo | undefined): string => {
    const inside = problem?.field ?? 'document';
    return inside === 'document' ? 'copyscope.experiment' : `copyscope.experiment.${inside}`;
  };
  const [first] = parsed.problems;
  if (typeof version === 'number' && version > experimentVersion) {
    throw newer(field(first), version, experimentVersion);
  }
  throw damaged(field(first), `the experiment in it is not valid: ${first?.message ?? 'no reason given.'}`);
}

function check<Output>(schema: z.ZodType<Output>, value: unknown, field: string, refuse: Refusal): Output {
  const shape = checkShape(schema, value);
  if (shape.ok) return shape.value;
  const [{ path, message }] = shape.problems;
  const inside = fieldPath(path);
  const join = inside === '' || inside.startsWith('[') ? '' : '.';
  throw refuse(`${field}${join}${inside}`, message);
}
