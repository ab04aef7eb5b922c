/** The traces of a job's ranks, given as files or folders, as one run. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CopyscopeError } from '../../core/errors.ts';
import { jobName, MergedRanks } from '../../core/import/mergedRanks.ts';
import { traceName } from '../../core/import/sniff.ts';
import { isTraceFile } from '../library/importTrace.ts';
import { head, type InputFile } from './inputFile.ts';

/** Returns the paths, with each folder replaced by the traces in it. */
export async function tracesIn(paths: readonly string[]): Promise<string[]> {
  const found: string[] = [];
  for (const path of paths) found.push(...((await isFolder(path)) ? await tracesOf(path) : [path]));
  return found;
}

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Sorts names numerically, so that 10 follows 9. */
async function tracesOf(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : []));
  const traces: string[] = [];
  for (const name of names.sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))) {
    const path = join(folder, name);
    const first = await head(path);
    if (first !== null && isTraceFile(path, first)) traces.push(path);
  }
  if (traces.length > 0) return traces;
  throw new CopyscopeError({
    code: 'file.not-found',
    message: `${folder} has no trace.`,
    remedy: "Name a folder with one trace of PyTorch's profiler or Nsight Systems for each rank.",
  });
}

/** Returns one run of all ranks; `read` reads a file. Rejects as `read` does, and with `trace-file.ranks`. */
export async function mergedInput(
  files: readonly string[],
  read: (path: string, place: number) => Promise<InputFile>,
): Promise<InputFile> {
  const merged = new MergedRanks();
  for (const [place, file] of files.entries()) {
    const input = await read(file, place);
    if (input.kind !== 'run') throw notARank(file);
    merged.add(input.run);
  }
  return { kind: 'run', run: merged.finish(commonName(files)) };
}

const notARank = (file: string): CopyscopeError =>
  new CopyscopeError({
    code: 'usage.invalid',
    field: 'file',
    message: `${file} is an experiment, and several files are the traces of a job's ranks.`,
    remedy: 'Name one trace for each rank, or one file alone.',
  });

/** Returns the common start of the files' names, or else the name of their folder. */
function commonName(files: readonly string[]): string {
  const name = jobName(files.map((file) => traceName(basename(file))));
  return name === '' ? basename(dirname(resolve(files[0] ?? ''))) || 'ranks' : name;
}
