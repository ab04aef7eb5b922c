/** A file named on the command line: an experiment, a run or a trace, identified by its first bytes, not its name. */
import { basename } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { looksLikeArrow, looksLikeExperiment, sniffedBytes, unknownKind } from '../../core/import/sniff.ts';
import { decodeRun, maxRunFileBytes } from '../../core/trace/arrow.ts';
import type { Run } from '../../core/trace/run.ts';
import { readBounded, readPart, statFile } from '../files/files.ts';
import { readExperimentFile } from '../library/experimentStore.ts';
import { importTraceFile, isTraceFile } from '../library/importTrace.ts';
import { programVersion } from '../paths.ts';
import type { Context } from './io.ts';
import { bar, statusLine } from './progress.ts';

/** Throws `usage.invalid` for the first of these options that is given; `goesWith` names what it is for. */
export function refuseUnused(options: Readonly<Record<`--${string}`, unknown>>, goesWith: string): void {
  for (const [field, value] of Object.entries(options)) {
    if (value === undefined) continue;
    throw new CopyscopeError({
      code: 'usage.invalid',
      field,
      message: `this needs ${goesWith}.`,
      remedy: `Leave ${field} out.`,
    });
  }
}

export type InputFile =
  | { readonly kind: 'experiment'; readonly experiment: Experiment }
  | { readonly kind: 'run'; readonly run: Run };

/** Returns true if a file says that it is a sweep. */
export async function isSweepFile(path: string): Promise<boolean> {
  const text = new TextDecoder().decode((await head(path)) ?? noBytes);
  return /^\s*\{[\s\S]*"format"\s*:\s*"copyscope\/sweep"/.test(text);
}

/** Rejects with `file.*`, `experiment.invalid`, `run-file.*` or `trace-file.*`. */
export async function readInputFile(path: string, context: Pick<Context, 'program' | 'terminal'>): Promise<InputFile> {
  if (path.toLowerCase().endsWith('.arrow') || (await isArrow(path))) return { kind: 'run', run: await readRun(path) };
  const first = await head(path);
  if (isTraceFile(path, first ?? noBytes)) return { kind: 'run', run: await readTrace(path, context) };
  if (first !== null && first.length > 0 && !looksLikeExperiment(path, first)) throw unknownKind(basename(path));
  return { kind: 'experiment', experiment: await readExperimentFile(path) };
}

/** Reads the experiment in a file. The file may be a run, whose experiment is run again. */
export async function readExperimentOf(
  path: string,
  context: Pick<Context, 'program' | 'terminal'>,
): Promise<Experiment> {
  return experimentIn(await readInputFile(path, context), path);
}

/** Returns the experiment in a file that was read from `path`. Throws `experiment.missing` if there is none. */
export function experimentIn(input: InputFile, path: string): Experiment {
  const experiment = input.kind === 'experiment' ? input.experiment : input.run.info.experiment;
  if (experiment !== null) return experiment;
  throw new CopyscopeError({
    code: 'experiment.missing',
    message: `${path} is a trace from another tool: it has no experiment to run again.`,
    remedy: 'copyscope explain shows what happened in it.',
  });
}

/** Refuses to overwrite a file that isn't a run, since a user may name the experiment itself by mistake. */
export async function requireWritableAsRun(path: string): Promise<void> {
  if ((await head(path)) === null || (await isArrow(path))) return;
  throw new CopyscopeError({
    code: 'file.exists',
    field: '--out',
    message: `${path} exists and is not an Arrow file, so it is not overwritten.`,
    remedy: 'Choose another name, or delete it first.',
  });
}

const readRun = async (path: string): Promise<Run> => decodeRun(await readBounded(path, maxRunFileBytes));

async function readTrace(path: string, { program, terminal }: Pick<Context, 'program' | 'terminal'>): Promise<Run> {
  const line = statusLine(terminal);
  try {
    return await importTraceFile(path, programVersion(program), {
      onProgress: (events, share) =>
        line.show(`Reading ${share === null ? '' : `${bar(share)}, `}${events.toLocaleString('en')} events`),
    });
  } finally {
    line.clear();
  }
}

const noBytes = new Uint8Array(0);

async function isArrow(path: string): Promise<boolean> {
  return looksLikeArrow((await head(path)) ?? noBytes);
}

/** Returns the first bytes, or null if there is no such file. */
export async function head(path: string): Promise<Uint8Array | null> {
  const isThere = await statFile(path).then(
    () => true,
    (error: CopyscopeError) => {
      if (error.code === 'file.not-found') return false;
      throw error;
    },
  );
  return isThere ? readPart(path, 0, sniffedBytes) : null;
}
