/** Copyscope's files belong to its user: other users of the machine can't read them. */
import { mkdirSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { libraryItems } from '../../../core/service/service.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { settledBy } from '../../support/settledPrediction.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let above: string;
let dataFolder: string;
let host: Host;
/** The usual umask, with which everyone can read new files. */
const umask = process.umask();

const makeHost = (): Host => hostOf(dataFolder);

/** Returns permissions of group and others by path below `folder`, without paths that have none. */
function open(folder: string): Record<string, string> {
  const paths = ['', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })];
  const modes = paths.map((path) => [path, statSync(join(folder, path)).mode & 0o077] as const);
  return Object.fromEntries(modes.filter(([, mode]) => mode !== 0).map(([path, mode]) => [path, mode.toString(8)]));
}

/** Saves one item of every kind. */
async function fill(): Promise<void> {
  const { service } = host;
  const experiment = await service.saveExperiment(null, example());
  await service.keepDraft(experiment, { changedAt: new Date().toISOString(), experiment: example() });
  const { id } = await importedRun(service, 'a.arrow', encodeRun(smallRun(example(), 'cpu')));
  await service.saveNotes(id, notesChange([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' }]));
  await service.renameRun(id, 'Mine');
  await service.keepSettled(settledBy(1));
  const other = await service.saveExperiment(null, { ...example(), name: 'other' });
  await service.deleteItems(libraryItems({ experiments: [other] }));
  const ticket = await service.beginImport({ name: 'half.arrow', modifiedAt: '2026-11-20T09:00:00.000Z' });
  await service.importPart(ticket, new Uint8Array([...new TextEncoder().encode('ARROW1\0\0'), ...new Uint8Array(600)]));
}

beforeEach(() => {
  process.umask(0o022);
  above = newFolder();
  dataFolder = join(above, 'data');
});
afterEach(() => {
  host.close();
  process.umask(umask);
});

describe.skipIf(process.platform === 'win32')('the data folder (skipped on Windows, which has no modes)', () => {
  it('and all that is put into it is for its user alone', async () => {
    host = makeHost();
    await fill();
    expect(readdirSync(dataFolder)).toEqual(expect.arrayContaining(['drafts', 'experiments', 'incoming', 'trash']));
    expect(open(dataFolder)).toEqual({});
  });

  it('that came with other modes is closed where it holds what is kept, and left as it is otherwise', async () => {
    for (const name of ['experiments', 'runs/imported', 'of-others'])
      mkdirSync(join(dataFolder, name), { recursive: true });
    host = makeHost();
    await host.service.saveExperiment(null, example());
    const found = open(dataFolder);
    expect(Object.keys(found).filter((path) => /^(experiments|runs)$/.test(path))).toEqual([]);
    // A folder that the user chose may contain other files: Copyscope doesn't change its permissions.
    expect(found).toMatchObject({ '': '55', 'of-others': '55' });
  });
});
