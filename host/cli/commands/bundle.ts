/**
 * `copyscope bundle export` and `copyscope bundle import`: the library as one file, and such a file into the library.
 */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CopyscopeError } from '../../../core/errors.ts';
import { type LibraryItems, libraryItems } from '../../../core/service/service.ts';
import { storageError } from '../../files/files.ts';
import { Assets } from '../../library/assets.ts';
import { Library } from '../../library/library.ts';
import { dataFolder, programVersion } from '../../paths.ts';
import type { Context } from '../io.ts';

export interface ExportOptions {
  readonly experiment: readonly string[];
  readonly run: readonly string[];
  readonly sweep: readonly string[];
  readonly json: boolean;
}

/** Packs the named items, or by default all of the user's own. Never overwrites a file. */
export async function exportBundle(context: Context, file: string, options: ExportOptions): Promise<void> {
  await withLibrary(context, async (library) => {
    const named: LibraryItems = { experiments: options.experiment, runs: options.run, sweeps: options.sweep };
    const items = isEmpty(named) ? await allOf(library) : named;
    const bundle = await library.bundles.write(items);
    let opened = false;
    try {
      const target = createWriteStream(file, { flags: 'wx' });
      target.once('open', () => {
        opened = true;
      });
      await pipeline(bundle, target);
    } catch (error) {
      if (opened) await rm(file, { force: true });
      throw storageError(`${file} could not be written`, error as NodeJS.ErrnoException);
    }
    print(context, { file, ...items }, options.json, `Written to ${file}`);
  });
}

export async function importBundle(
  context: Context,
  file: string,
  { json }: { readonly json: boolean },
): Promise<void> {
  await withLibrary(context, async (library) => {
    const imported = await library.imports.file(file);
    if (imported.kind === 'bundle') {
      print(context, imported.items, json, 'Added to the library');
      if (imported.problem !== undefined) throw new CopyscopeError(imported.problem);
      return;
    }
    const items = libraryItems(imported.kind === 'run' ? { runs: [imported.run.id] } : { experiments: [imported.id] });
    print(context, items, json, imported.isNew ? 'Added to the library' : 'In the library already');
  });
}

async function allOf(library: Library): Promise<LibraryItems> {
  const experiments = (await library.experiments.list()).filter(({ problem }) => problem === undefined);
  const runs = (await library.listRuns()).filter(({ builtIn, engine }) => !builtIn && engine !== null);
  const sweeps = (await library.sweeps.list(new Set())).filter(({ problem }) => problem === undefined);
  const ids = (list: readonly { readonly id: string }[]): string[] => list.map(({ id }) => id);
  const all = { experiments: ids(experiments), runs: ids(runs), sweeps: ids(sweeps) };
  if (!isEmpty(all)) return all;
  throw new CopyscopeError({
    code: 'bundle.empty',
    message: 'There is nothing of your own to put into a bundle.',
    remedy: 'Name runs that ship with Copyscope with --run, or make a run first.',
  });
}

const isEmpty = ({ experiments, runs, sweeps }: LibraryItems): boolean =>
  experiments.length + runs.length + sweeps.length === 0;

async function withLibrary(context: Context, action: (library: Library) => Promise<void>): Promise<void> {
  const library = new Library({
    dataFolder: dataFolder(context.environment),
    assets: new Assets(join(context.program, 'assets')),
    version: programVersion(context.program),
  });
  try {
    await action(library);
  } finally {
    library.close();
  }
}

function print(
  { terminal }: Context,
  items: LibraryItems & { readonly file?: string },
  json: boolean,
  done: string,
): void {
  if (json) {
    terminal.out(JSON.stringify(items));
    return;
  }
  const { experiments, runs, sweeps } = items;
  terminal.out(`${done}: ${experiments.length} experiments, ${runs.length} runs, ${sweeps.length} sweeps.`);
  for (const id of experiments) terminal.out(`  experiment ${id}`);
  for (const id of runs) terminal.out(`  run ${id}`);
  for (const id of sweeps) terminal.out(`  sweep ${id}`);
}
