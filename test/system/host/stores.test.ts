import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { requireArguments } from '../../../core/service/requests.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { runNotes } from '../../../core/trace/notes.ts';
import { runName } from '../../../core/trace/run.ts';
import { slug, timedId, unused } from '../../../host/files/ids.ts';
import { Assets } from '../../../host/library/assets.ts';
import { DraftStore } from '../../../host/library/draftStore.ts';
import { ExperimentStore } from '../../../host/library/experimentStore.ts';
import { NoteStore } from '../../../host/library/noteStore.ts';
import { RunStore, readRunFile } from '../../../host/library/runStore.ts';
import { SettledStore } from '../../../host/library/tables.ts';
import { newFolder } from '../../support/newFolder.ts';
import { settledBy } from '../../support/settledPrediction.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
let runs: RunStore;
const readRun = async (id: string): Promise<Uint8Array> => readRunFile(await runs.file(id));
let drafts: DraftStore;
let experiments: ExperimentStore;

const draft = (experiment: object) => ({ changedAt: '2026-11-20T09:00:00.000Z', experiment });

/** Returns every file below the folder with its content, to check that nothing changed on disk. */
function contents(): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((file) => {
      const path = join(file.parentPath, file.name);
      return [path, readFileSync(path, 'latin1')];
    }),
  );
}

beforeEach(() => {
  folder = newFolder();
  runs = new RunStore(join(folder, 'data/runs'), new Assets(join(folder, 'assets')));
  drafts = new DraftStore(join(folder, 'data/drafts'));
  experiments = new ExperimentStore(join(folder, 'data/experiments'), drafts);
  writeFileSync(join(folder, 'outside.json'), JSON.stringify(example()));
  writeFileSync(join(folder, 'outside.arrow'), encodeRun(smallRun(example(), 'cpu')));
});

it.each([
  '../outside',
  'imported/../../outside',
  '/etc/passwd',
  'C:\\windows',
  'a\\..\\b',
  '..',
  '.',
  '',
  'a/',
  'a//b',
  'nul\u0000byte',
  'UPPER',
  'x.arrow',
  '__proto__',
  'a'.repeat(300),
])('no store reads, writes or deletes anything by the id %j', async (id) => {
  const assets = new Assets(join(repository, 'assets'));
  const notes = new NoteStore(join(folder, 'data/notes'));
  const before = contents();
  await expect(experiments.read(id)).rejects.toMatchObject({ code: 'experiment.not-found' });
  await expect(experiments.path(id)).rejects.toMatchObject({ code: 'experiment.not-found' });
  await expect(experiments.save(id, example())).rejects.toMatchObject({ code: 'request.invalid' });
  await expect(drafts.keep(id, draft(example()))).rejects.toMatchObject({ code: 'request.invalid' });
  expect(await drafts.read(id)).toBeNull();
  await drafts.drop(id);
  await expect(readRun(id)).rejects.toMatchObject({ code: 'run.not-found' });
  await expect(runs.ownPath(id)).rejects.toMatchObject({ code: 'run.not-found' });
  await expect(notes.save(id, runNotes())).rejects.toMatchObject({ code: 'run.not-found' });
  await expect(notes.path(id)).rejects.toMatchObject({ code: 'run.not-found' });
  await expect(assets.readExample(id)).rejects.toMatchObject({ code: 'example.not-found' });
  await expect(assets.readProfile(id)).rejects.toMatchObject({ code: 'profile.not-found' });
  expect(contents()).toEqual(before);
});

describe('the experiment store', () => {
  it('keeps an experiment as pretty JSON under an id made from its name, and gives it back', async () => {
    const id = await experiments.save(null, example());
    expect(id).toBe('pinned-source-second-stream');
    expect(await experiments.read(id)).toEqual(example());
    expect(readFileSync(join(folder, `data/experiments/${id}.json`), 'utf8')).toMatch(/^\{\n {2}"format"/);
    expect(await experiments.list()).toMatchObject([{ id, name: example().name }]);
  });

  it('replaces under its id, and leaves no temporary file', async () => {
    const id = await experiments.save(null, example());
    expect(await experiments.save(id, { ...example(), name: 'Renamed' })).toBe(id);
    expect((await experiments.read(id)).name).toBe('Renamed');
    expect(readdirSync(join(folder, 'data/experiments'))).toEqual([`${id}.json`]);
  });

  it('lists damaged and foreign files with their problem, among the good ones', async () => {
    const id = await experiments.save(null, example());
    const at = (name: string): string => join(folder, 'data/experiments', name);
    writeFileSync(at('truncated.json'), JSON.stringify(example()).slice(0, 200));
    writeFileSync(at('Foreign File.json'), '{}');
    writeFileSync(at('notes.txt'), 'mine');
    mkdirSync(at('folder.json'));
    const listed = await experiments.list();
    expect(listed.find((entry) => entry.id === id)?.problem).toBeUndefined();
    expect(listed.find((entry) => entry.id === 'truncated')?.problem).toMatchObject({ code: 'experiment.invalid' });
    expect(listed.find((entry) => entry.id === 'Foreign File')?.problem).toMatchObject({
      code: 'experiment.file-name',
    });
    expect(listed).toHaveLength(3);
  });
});

describe('the draft store', () => {
  it('gives back what was kept last, says so in the list, and forgets it with its experiment', async () => {
    const id = await experiments.save(null, example());
    expect(await drafts.read(id)).toBeNull();
    await drafts.keep(id, draft(example()));
    const changed = { ...example(), name: 'Changed' };
    await drafts.keep(id, draft(changed));
    expect(await drafts.read(id)).toEqual(draft(changed));
    expect((await experiments.read(id)).name).toBe(example().name);
    expect(await experiments.list()).toMatchObject([{ id, hasDraft: true }]);
    await drafts.drop(id);
    expect(await drafts.read(id)).toBeNull();
    expect(readdirSync(join(folder, 'data/drafts'))).toEqual([]);
  });

  it('keeps the last good one when the next is not valid', async () => {
    await drafts.keep('mine', draft(example()));
    await expect(drafts.keep('mine', draft({ format: 'other' }))).rejects.toMatchObject({
      code: 'experiment.invalid',
    });
    expect(await drafts.read('mine')).not.toBeNull();
  });

  it.each(['', '{', '[]', '{"format":"copyscope/draft","version":1}', JSON.stringify({ experiment: 7 })])(
    'takes a file that holds %j for none',
    async (text) => {
      await drafts.keep('mine', draft(example()));
      writeFileSync(join(folder, 'data/drafts/mine.json'), text);
      expect(await drafts.read('mine')).toBeNull();
      await drafts.drop('mine');
      expect(readdirSync(join(folder, 'data/drafts'))).toEqual([]);
    },
  );
});

describe('the run store', () => {
  const at = (name: string): string => join(folder, 'data/runs', name);
  const keep = async (): Promise<string> => {
    const { info, trace } = smallRun(example(), 'cpu');
    const id = await runs.newId(new Date('2026-11-20T05:45:00Z'), runName(info));
    await runs.add(id, info, encodeRun({ info, trace }));
    return id;
  };

  it('keeps a run of this installation as measured, and gives its file back', async () => {
    const id = await keep();
    expect(id).toBe('20261120-054500-pinned-source-second-stream');
    expect(decodeRun(await readRun(id)).info.experiment).toEqual(example());
    expect(await runs.list()).toMatchObject([
      {
        id,
        origin: 'measured',
        engine: 'cpu',
        status: 'complete',
        device: 'Test CPU',
        makespanNs: 386_000,
        builtIn: false,
      },
    ]);
  });

  it('keeps an imported run byte for byte as recorded, and a simulated one as simulated', async () => {
    const file = encodeRun(smallRun(example(), 'cpu'));
    const { run: imported } = await runs.import('My Colleague’s H200.arrow', file);
    expect(imported).toMatchObject({ id: 'imported/my-colleague-s-h200', origin: 'recorded' });
    expect(await readRun(imported.id)).toEqual(file);
    const simulated = await runs.import('sim.arrow', encodeRun(smallRun(example(), 'sim')));
    expect(simulated.run).toMatchObject({ origin: 'simulated', device: 'h200' });
    expect((await runs.list()).map(({ origin }) => origin).sort()).toEqual(['recorded', 'simulated']);
  });

  it('lists damaged and foreign files as failed with the reason, and says where they lie', async () => {
    const id = await keep();
    writeFileSync(at('truncated.arrow'), encodeRun(smallRun(example(), 'cpu')).slice(0, 500));
    writeFileSync(at('Foreign File.arrow'), 'x');
    writeFileSync(at('half-written.arrow.123'), 'x');
    const listed = await runs.list();
    expect(listed.map((run) => run.id).sort()).toEqual([id, 'Foreign File', 'truncated'].sort());
    const truncated = listed.find((run) => run.id === 'truncated');
    expect(truncated).toMatchObject({ status: 'failed', engine: null, error: { code: 'run-file.truncated' } });
    await expect(readRun('truncated')).rejects.toMatchObject({ code: 'run-file.truncated' });
    expect(await runs.ownPath('truncated')).toBe(at('truncated.arrow'));
  });

  it('sees at once that a file was replaced', async () => {
    const id = await keep();
    expect((await runs.list())[0]?.status).toBe('complete');
    writeFileSync(at(`${id}.arrow`), 'no run any more');
    expect((await runs.list())[0]?.error).toMatchObject({ code: 'run-file.not-arrow' });
  });

  it('shows the runs that ship with the program and does not delete them', async () => {
    const path = join(folder, 'assets/runs/overlap/pinned-side-stream-h200.arrow');
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, encodeRun(smallRun(example(), 'cpu')));
    const id = 'recorded/overlap/pinned-side-stream-h200';
    expect(await runs.list()).toMatchObject([{ id, origin: 'recorded', builtIn: true }]);
    await expect(runs.ownPath(id)).rejects.toMatchObject({ code: 'run.built-in' });
    expect(existsSync(path)).toBe(true);
  });

  it('does not follow a link out of its folder', async () => {
    await keep();
    symlinkSync(join(folder, 'outside.arrow'), at('link.arrow'));
    await expect(readRun('link')).rejects.toMatchObject({ code: 'run.not-found' });
  });
});

describe('the shipped assets', () => {
  const assets = new Assets(join(repository, 'assets'));

  it('are listed and can be opened', async () => {
    const examples = await assets.examples();
    expect(examples.map(({ id }) => id)).toContain('overlap/pinned-side-stream');
    for (const { id } of examples) expect((await assets.readExample(id)).name).not.toBe('');
    for (const { name } of await assets.profiles()) expect(await assets.readProfile(name)).toBeTypeOf('object');
  });

  it('know which example a recorded run is of', async () => {
    for (const id of ['a', 'a-b']) {
      mkdirSync(join(folder, 'assets/examples/x'), { recursive: true });
      writeFileSync(join(folder, `assets/examples/x/${id}.json`), JSON.stringify(example()));
    }
    mkdirSync(join(folder, 'assets/runs/x'), { recursive: true });
    for (const run of ['a', 'a-h200', 'a-b-h200', 'other'])
      writeFileSync(join(folder, `assets/runs/x/${run}.arrow`), '');
    const examples = await new Assets(join(folder, 'assets')).examples();
    expect(examples.map(({ id, recordedRuns }) => [id, recordedRuns])).toEqual([
      ['x/a', ['recorded/x/a', 'recorded/x/a-h200']],
      ['x/a-b', ['recorded/x/a-b-h200']],
    ]);
  });
});

describe('ids', () => {
  it('made from any name are ids', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
        (name, date) => {
          for (const id of [
            slug(name, 'run'),
            timedId(date, name),
            unused(slug(name, 'run'), (taken) => !taken.endsWith('-9')),
          ]) {
            expect(requireArguments('readRun', [id])).toEqual([id]);
          }
        },
      ),
    );
  });

  it('are no device names of Windows', () => {
    expect(slug('CON', 'run')).toBe('run-con');
    expect(slug('nul', 'experiment')).toBe('experiment-nul');
  });
});

describe('settled predictions', () => {
  it('are kept by profile, the newest first, and each pair of traces once', async () => {
    const store = new SettledStore(folder);
    expect(await store.of('h200')).toEqual([]);
    await Promise.all([settledBy(1), settledBy(2), settledBy(3, { profile: 'other' })].map((one) => store.keep(one)));
    await store.keep(settledBy(1, { measuredShare: 0.1, holds: false }));
    const again = await new SettledStore(folder).of('h200');
    expect(again.map(({ after, holds }) => [after.name, holds])).toEqual([
      ['after 1', false],
      ['after 2', true],
    ]);
    expect(await store.of('other')).toHaveLength(1);
  });

  it('are refused with the file and the field if the table is damaged, and nothing is overwritten', async () => {
    const path = join(folder, 'settled.json');
    const damaged = JSON.stringify({ format: 'copyscope/settled', version: 1, predictions: [{ profile: 7 }] });
    writeFileSync(path, damaged);
    const store = new SettledStore(folder);
    for (const call of [store.of('h200'), store.keep(settledBy(1))]) {
      await expect(call).rejects.toMatchObject({ code: 'settled.invalid', message: expect.stringContaining(path) });
    }
    expect(readFileSync(path, 'utf8')).toBe(damaged);
  });
});
