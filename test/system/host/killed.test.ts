/**
 * A host killed at any of its changes on the disk: confirmed data is complete, nothing is there in part, and the next
 * start removes leftovers.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry, repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

const folder = newFolder();
const built = await buildEntry(join(import.meta.dirname, '../../unit/host/support/killedEntry.ts'));
const assets = join(repository, 'assets');

const hostOn = (dataFolder: string): Host => hostOf(dataFolder, { assetsFolder: assets });

/** Saves an experiment with unsaved changes, and a run with a name and a note. */
async function fill({ service }: Host, name: string): Promise<void> {
  const experiment = { ...example(), name };
  const id = await service.saveExperiment(null, experiment);
  await service.keepDraft(id, {
    changedAt: '2026-11-20T09:00:00.000Z',
    experiment: { ...experiment, description: 'typed' },
  });
  const { id: run } = await importedRun(service, `${name}.arrow`, encodeRun(smallRun(experiment, 'cpu')));
  await service.saveNotes(run, notesChange([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' }]));
  await service.renameRun(run, `Title of ${name}`);
}

beforeAll(async () => {
  const files = join(folder, 'files');
  mkdirSync(files);
  writeFileSync(join(files, 'experiment.json'), JSON.stringify({ ...example(), name: 'new' }));
  writeFileSync(join(files, 'run.arrow'), encodeRun(smallRun({ ...example(), name: 'other' }, 'cpu')));
  const template = hostOn(join(folder, 'template'));
  await fill(template, 'mine');
  template.close();
});

/** Returns everything that the library reports of its content, without times. */
async function said({ service }: Host): Promise<unknown> {
  const experiments = await Promise.all(
    (await service.experiments()).map(async ({ id }) => {
      const draft = await service.readDraft(id);
      return [JSON.parse(await service.readExperiment(id)), draft && JSON.parse(draft.experiment)];
    }),
  );
  const runs = await Promise.all(
    (await service.runs())
      .filter(({ builtIn }) => !builtIn)
      .map(async ({ id, name, title, status }) => {
        const { notes } = await service.readNotes(id);
        return [name, title, status, notes.map(({ text }) => text), (await service.readRun(id)).length];
      }),
  );
  return { experiments, runs: runs.sort() };
}

const filesOf = (dataFolder: string): string[] =>
  readdirSync(dataFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataFolder.length + 1))
    .filter((path) => !path.startsWith('cache/') && !path.startsWith('trash/'))
    .sort();

interface End {
  readonly said: unknown;
  readonly files: string[];
}

/** Starts a host again. Returns its reports, and the files after its end. */
async function nextStart(dataFolder: string): Promise<End> {
  const host = hostOn(dataFolder);
  await host.ready;
  const found = await said(host);
  host.close();
  return { said: found, files: filesOf(dataFolder) };
}

function run(operation: string, at: number, dataFolder: string): string[] {
  const args = [built, operation, String(at), dataFolder, assets, join(folder, 'files')];
  const { stdout, stderr, signal, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (signal !== 'SIGKILL' && status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string);
}

/** Returns the ids in titles.json; those of missing runs are leftovers. */
const titles = (dataFolder: string): string[] =>
  Object.keys(JSON.parse(readFileSync(join(dataFolder, 'titles.json'), 'utf8')).titles);

it.each(['start', 'save', 'saveAgain', 'importRun', 'notes', 'rename', 'remove', 'restore', 'export'])(
  'killed at any change of %s',
  async (operation) => {
    const fresh = async (name: string): Promise<string> => {
      const dataFolder = join(folder, operation, name, 'data');
      cpSync(join(folder, 'template'), dataFolder, { recursive: true });
      // A start has work to do if the one before was killed in the middle.
      if (operation === 'start') run('remove', 4, dataFolder);
      return dataFolder;
    };
    const untouched = await nextStart(await fresh('before'));
    const whole = await fresh('whole');
    expect(run(operation, Number.MAX_SAFE_INTEGER, whole)).toEqual(['begun', 'confirmed', 'done']);
    const done = await nextStart(whole);
    // An undone deletion starts from the state after a deletion.
    const before =
      operation === 'restore' ? { said: { experiments: [], runs: [] }, files: ['titles.json'] } : untouched;
    for (let at = 1; ; at += 1) {
      const dataFolder = await fresh(String(at));
      const lines = run(operation, at, dataFolder);
      if (lines.includes('done')) break;
      const after = await nextStart(dataFolder);
      const expected = lines.includes('confirmed') ? [done] : [before, done];
      expect(
        expected.map((end) => end.said),
        `killed at change ${at}`,
      ).toContainEqual(after.said);
      expect(
        expected.map((end) => end.files),
        `left after change ${at}`,
      ).toContainEqual(after.files);
      const kept = after.files.map((path) => path.replace(/^runs\/|\.arrow$/g, ''));
      expect(kept, `titles after change ${at}`).toEqual(expect.arrayContaining(titles(dataFolder)));
    }
  },
);
