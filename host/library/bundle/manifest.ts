/**
 * A bundle: one gzipped tar archive (docs/guide/share.md) of experiments, runs and sweeps with their files. The
 * manifest comes first and names everything after it. File names are made from ids alone.
 */
import { z } from 'zod';
import { mostPoints } from '../../../core/apps/sweep/document.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { idSchema } from '../../../core/service/requests.ts';
import { checkShape } from '../../../core/shape/checkShape.ts';
import { parseJson } from '../../../core/shape/parseJson.ts';
import { sweepRunId } from '../keptSweep.ts';

export const bundleFormat = 'copyscope/bundle';
export const bundleVersion = 2;
export const manifestName = 'manifest.json';
export const mostManifestBytes = 16 * 1024 * 1024;
/** Limit for each kind. */
export const mostItems = 10_000;

const name = z.string().max(200);
const topLevelId = idSchema.regex(/^[^/]*$/, 'lies in a folder');
const experimentItem = z.strictObject({ id: topLevelId, name });
const runItem = z.strictObject({
  id: idSchema,
  name,
  /** Title that its owner gave it. */
  title: name.min(1).optional(),
  /** True if notes/ID.json exists. */
  notes: z.boolean(),
});

const points = z.array(z.number().int().min(0).max(mostPoints)).max(mostPoints);
const sweepItem = z
  .strictObject({
    id: topLevelId,
    name,
    /** Points that succeeded, whose runs are runs/sweep/ID/POINT.arrow. */
    runs: points,
    /** Points whose runs have notes: notes/sweep/ID/POINT.json. */
    notes: points,
  })
  .refine(({ runs, notes }) => isWithin(notes, new Set(runs)), 'there are notes on a run that is not there');

const isWithin = (some: readonly number[], all: ReadonlySet<number>): boolean => some.every((one) => all.has(one));

const manifestSchema = z
  .strictObject({
    format: z.literal(bundleFormat),
    version: z.literal(bundleVersion),
    createdAt: z.iso.datetime(),
    /** Name and version of the program that wrote it. */
    program: z.string().max(200),
    experiments: z.array(experimentItem).max(mostItems),
    runs: z.array(runItem).max(mostItems),
    sweeps: z.array(sweepItem).max(mostItems),
  })
  .refine((manifest) => {
    const entries = allEntries(manifest);
    return new Set(entries.map(pathOf)).size === entries.length;
  }, 'an id is there twice');

export type Manifest = z.infer<typeof manifestSchema>;
export type RunItem = z.infer<typeof runItem>;
export type SweepItem = z.infer<typeof sweepItem>;

/** points: outcomes of a sweep's points. */
export type EntryKind = 'experiment' | 'run' | 'notes' | 'sweep' | 'points';

export interface Entry {
  readonly kind: EntryKind;
  readonly id: string;
  /** Id of the sweep that it belongs to. */
  readonly sweep?: string;
}

const folders: Readonly<Record<EntryKind, readonly [folder: string, ending: string]>> = {
  experiment: ['experiments', '.json'],
  run: ['runs', '.arrow'],
  notes: ['notes', '.json'],
  sweep: ['sweeps', '.json'],
  points: ['sweeps', '.jsonl'],
};

/** Returns its path in the archive, such as 'runs/imported/worker0.arrow'. */
export function pathOf({ kind, id }: Entry): string {
  const [folder, ending] = folders[kind];
  return `${folder}/${id}${ending}`;
}

/** Returns every file of a bundle with this manifest, by its path. */
export const entriesOf = (manifest: Manifest): ReadonlyMap<string, Entry> =>
  new Map(allEntries(manifest).map((entry) => [pathOf(entry), entry]));

function allEntries({ experiments, runs, sweeps }: Manifest): Entry[] {
  return [
    ...experiments.map(({ id }) => ({ kind: 'experiment', id }) as const),
    ...runs.map(({ id }) => ({ kind: 'run', id }) as const),
    ...runs.filter(({ notes }) => notes).map(({ id }) => ({ kind: 'notes', id }) as const),
    ...sweeps.flatMap(entriesOfSweep),
  ];
}

export function entriesOfSweep({ id, runs, notes }: SweepItem): Entry[] {
  return [
    { kind: 'sweep', id, sweep: id },
    { kind: 'points', id, sweep: id },
    ...runs.map((point) => ({ kind: 'run', id: sweepRunId(id, point), sweep: id }) as const),
    ...notes.map((point) => ({ kind: 'notes', id: sweepRunId(id, point), sweep: id }) as const),
  ];
}

export const manifestText = (manifest: Manifest): string => `${JSON.stringify(manifest, null, 2)}\n`;

/** Throws a CopyscopeError `bundle.newer-version` or `bundle.damaged`. */
export function parseManifest(text: string): Manifest {
  const json = parsed(text);
  const version = (json as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > bundleVersion) {
    throw bundleError('newer-version', `its version ${version} is newer than this program reads (${bundleVersion}).`, {
      remedy: 'Update Copyscope.',
    });
  }
  const shape = checkShape(manifestSchema, upgraded(json));
  if (shape.ok) return shape.value;
  const [{ field, message }] = shape.problems;
  throw bundleError('damaged', `its manifest is not valid: ${message}`, { field: `${manifestName}: ${field}` });
}

/** Version 1 had no sweeps. */
function upgraded(json: unknown): unknown {
  const isFirst = typeof json === 'object' && json !== null && (json as { version?: unknown }).version === 1;
  return isFirst && !('sweeps' in json) ? { ...json, version: bundleVersion, sweeps: [] } : json;
}

function parsed(text: string): unknown {
  const json = parseJson(text);
  if (!json.ok) throw bundleError('damaged', `its manifest: ${json.message}`);
  return json.json;
}

export interface ErrorFields {
  readonly field?: string;
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** Returns an error with code `bundle.KIND`; `problem` continues "the bundle can't be read: ". */
export function bundleError(kind: string, problem: string, { field, remedy, cause }: ErrorFields = {}): CopyscopeError {
  return new CopyscopeError(
    {
      code: `bundle.${kind}`,
      message: `the bundle can’t be read: ${problem}`,
      remedy: remedy ?? 'Nothing of it was kept. Copy or export it again.',
      ...(field === undefined ? {} : { field }),
    },
    { cause },
  );
}

/** Makes the error to throw; `problem` begins with the path of a file in the bundle. */
type Refuse = (problem: string, fields: ErrorFields) => CopyscopeError;

const refuseBundle: Refuse = (problem, fields) => bundleError('damaged', problem, fields);

/** Adds the name of the bundle's file to an error. */
export function within<Value>(path: string, read: () => Value, refuse: Refuse = refuseBundle): Value {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof CopyscopeError)) throw thrown;
    const { field, message } = thrown;
    throw refuse(`${path}: ${message}`, { field: field === undefined ? path : `${path}: ${field}`, cause: thrown });
  }
}
