/** `copyscope bundle export` and `copyscope bundle import`: the library as one file, and such a file into the library. */
import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { CopyscopeError } from '../../../core/errors.ts';
import type { LibraryItems } from '../../../core/service/service.ts';
import { dataFolder, programVersion } from '../../paths.ts';
import { Assets } from '../../service/assets.ts';
import { storageError } from '../../service/files.ts';
import { Library } from '../../service/library.ts';
import type { Context } from '../io.ts';

export interface ExportOptions {
  readonly experiment: readonly string[];
  readonly run: readonly string[];
  readonly json: boolean;
}

/** Packs what is named, or all of the user's own where nothing is. Never over a file that is there. */
export async function exportBundle(context: Context, file: string, options: ExportOptions): Promise<void> {
  await withLibrary(context, async (library) => {
    const named: LibraryItems = { experiments: options.experiment, runs: options.run, sweeps: [] };
    const items = named.experiments.length + named.runs.length > 0 ? named : await allOf(library);
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
    if (imported.kind === 'bundle') return print(context, imported.items, json, 'Added to the library');
    const { experiments, runs }: LibraryItems =
      imported.kind === 'run' ? { experiments: [], runs: [imported.run.id] } : { experiments: [imported.id], runs: [] };
    print(context, { experiments, runs }, json, imported.isNew ? 'Added to the library' : 'In the library already');
  });
}

async function allOf(library: Library): Promise<LibraryItems> {
  const experiments = (await library.experiments.list()).filter(({ problem }) => problem === undefined);
  const runs = (await library.listRuns()).filter(({ builtIn, engine }) => !builtIn && engine !== null);
  if (experiments.length + runs.length > 0) {
    return { experiments: experiments.map(({ id }) => id), runs: runs.map(({ id }) => id) };
  }
  throw new CopyscopeError({
    code: 'bundle.empty',
    message: 'There is nothing of your own to put into a bundle.',
    remedy: 'Name runs that ship with Copyscope with --run, or make a run first.',
  });
}

async function withLibrary(context: Context, action: (library: Library) => Promise<void>): Promise<void> {
  const library = new Library({
    dataFolder: dataFolder(context.environment),
    assets: new Assets(join(context.program, 'assets')),
    bin: null,
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
    terminal.out(`${JSON.stringify(items)}\n`);
    return;
  }
  terminal.out(`${done}: ${items.experiments.length} experiments, ${items.runs.length} runs.\n`);
  for (const id of items.experiments) terminal.out(`  experiment ${id}\n`);
  for (const id of items.runs) terminal.out(`  run ${id}\n`);
}
