/**
 * A bundle: one gzipped tar archive (docs/bundle-format.md) of experiments and runs with what belongs to them. The
 * manifest comes first and names all that follows; what a file is called is made from its id, and from nothing else.
 */
import { z } from 'zod';
import { CopyscopeError } from '../../../core/errors.ts';
import { fieldPath } from '../../../core/experiment/experiment.ts';
import { idSchema } from '../../../core/service/requests.ts';

export const bundleFormat = 'copyscope/bundle';
export const bundleVersion = 1;
export const manifestName = 'manifest.json';
export const mostManifestBytes = 4 * 1024 * 1024;
/** Of each kind. */
export const mostItems = 10_000;

const name = z.string().max(200);
const experimentItem = z.strictObject({ id: idSchema.regex(/^[^/]*$/, 'lies in a folder'), name });
const runItem = z.strictObject({
  id: idSchema,
  name,
  /** What its owner called it. */
  title: name.min(1).optional(),
  /** Whether notes/ID.json is there. */
  notes: z.boolean(),
});

const manifestSchema = z
  .strictObject({
    format: z.literal(bundleFormat),
    version: z.literal(bundleVersion),
    createdAt: z.iso.datetime(),
    /** The program that wrote it, with its version. */
    program: z.string().max(200),
    experiments: z.array(experimentItem).max(mostItems),
    runs: z.array(runItem).max(mostItems),
  })
  .refine(({ experiments, runs }) => noIdTwice(experiments) && noIdTwice(runs), 'an id is there twice');

const noIdTwice = (items: readonly { readonly id: string }[]): boolean =>
  new Set(items.map(({ id }) => id)).size === items.length;

export type Manifest = z.infer<typeof manifestSchema>;
export type RunItem = z.infer<typeof runItem>;

export type EntryKind = 'experiment' | 'run' | 'notes';

export interface Entry {
  readonly kind: EntryKind;
  readonly id: string;
}

const folders: Readonly<Record<EntryKind, readonly [folder: string, ending: string]>> = {
  experiment: ['experiments', '.json'],
  run: ['runs', '.arrow'],
  notes: ['notes', '.json'],
};

/** Where the archive holds it, as 'runs/imported/worker0.arrow'. */
export function pathOf({ kind, id }: Entry): string {
  const [folder, ending] = folders[kind];
  return `${folder}/${id}${ending}`;
}

/** Every file that a bundle with this manifest holds, by its path. */
export function entriesOf({ experiments, runs }: Manifest): ReadonlyMap<string, Entry> {
  const entries: Entry[] = [
    ...experiments.map(({ id }) => ({ kind: 'experiment', id }) as const),
    ...runs.map(({ id }) => ({ kind: 'run', id }) as const),
    ...runs.filter(({ notes }) => notes).map(({ id }) => ({ kind: 'notes', id }) as const),
  ];
  return new Map(entries.map((entry) => [pathOf(entry), entry]));
}

/** Throws a CopyscopeError `bundle.newer-version` or `bundle.damaged`. */
export function parseManifest(text: string): Manifest {
  const json = parsed(text);
  const version = (json as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version > bundleVersion) {
    throw bundleError('newer-version', `its version ${version} is newer than this program reads (${bundleVersion}).`, {
      remedy: 'Update Copyscope.',
    });
  }
  const result = manifestSchema.safeParse(json);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw bundleError('damaged', `its manifest is not valid: ${issue?.message ?? 'no reason given'}.`, {
    field: `${manifestName}: ${fieldPath(issue?.path ?? [])}`,
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw bundleError('damaged', 'its manifest is not JSON.', { cause });
  }
}

interface ErrorFields {
  readonly field?: string;
  readonly remedy?: string;
  readonly cause?: unknown;
}

/** Of code `bundle.KIND`; `problem` goes on from "the bundle can't be read: ". */
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
