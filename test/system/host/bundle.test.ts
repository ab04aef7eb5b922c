/** A bundle contains a whole library; a damaged or malicious one leaves nothing behind. */
import { linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { type LibraryItems, libraryItems } from '../../../core/service/service.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { type Archived, archiveOf } from '../../unit/host/support/archives.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun, importFile } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
let host: Host;
let other: Host;

function makeHost(name: string): Host {
  return hostOf(join(folder, name));
}

beforeEach(() => {
  folder = newFolder();
  host = makeHost('one');
  other = makeHost('other');
});
afterEach(() => {
  host.close();
  other.close();
});

const run = encodeRun(smallRun(example(), 'cpu'));
const note = { id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' };

/** Saves an experiment, and a run with a name and a note. */
async function fill(): Promise<LibraryItems> {
  const { id } = await importedRun(host.service, 'a.arrow', run);
  await host.service.saveNotes(id, notesChange([note]));
  await host.service.renameRun(id, 'Mine');
  return libraryItems({ experiments: [await host.service.saveExperiment(null, example())], runs: [id] });
}

async function packed(items: LibraryItems): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of await host.bundle(await host.service.packBundle(items))) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}

const kept = (name: string): string[] => {
  try {
    return readdirSync(join(folder, name), { recursive: true, encoding: 'utf8', withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.parentPath.includes('/trash/'))
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
};

const own = async (of: Host) => (await of.service.runs()).filter(({ builtIn }) => !builtIn);

describe('a bundle', () => {
  it('brings experiments, runs, names and notes to another library', async () => {
    const bundle = await packed(await fill());
    const imported = await importFile(other.service, 'mine.copyscope', bundle, 1000);
    if (imported.kind !== 'bundle') throw new Error(imported.kind);
    const [experiment = ''] = imported.items.experiments;
    const [id = ''] = imported.items.runs;
    expect(JSON.parse(await other.service.readExperiment(experiment))).toEqual(example());
    expect(new Uint8Array(await other.service.readRun(id))).toEqual(run);
    expect(await own(other)).toMatchObject([{ id, title: 'Mine', origin: 'recorded' }]);
    expect((await other.service.readNotes(id)).notes).toEqual([note]);
    expect(kept('one/incoming')).toEqual([]);
    expect(kept('other/incoming')).toEqual([]);
  });

  it('a bundle of an older version brings its experiments and runs, with ids for the operations', async () => {
    const fixtures = join(repository, 'test/fixtures/documents');
    const bundle = readFileSync(join(fixtures, 'bundle-1.copyscope'));
    const imported = await importFile(other.service, 'old.copyscope', bundle, 1000);
    if (imported.kind !== 'bundle') throw new Error(imported.kind);
    const text = await other.service.readExperiment(imported.items.experiments[0] ?? '');
    const old = readFileSync(join(fixtures, 'experiment-1.json'), 'utf8');
    expect(JSON.parse(text)).toEqual(requireExperiment(old));
    const [id = ''] = imported.items.runs;
    expect(decodeRun(new Uint8Array(await other.service.readRun(id))).info.experiment?.version).toBe(2);
  });

  it('importing a bundle replaces nothing: existing entries stay, and new ones get other names', async () => {
    const bundle = await packed(await fill());
    await importFile(host.service, 'mine.copyscope', bundle);
    expect(await host.service.experiments()).toHaveLength(2);
    expect(await own(host)).toHaveLength(2);
  });

  it('holds runs that ship with the program too, and an empty one holds nothing', async () => {
    const [recorded] = (await host.service.runs()).filter(({ builtIn }) => builtIn);
    const imported = await importFile(other.service, 'x', await packed(libraryItems({ runs: [recorded?.id ?? ''] })));
    expect(imported).toMatchObject({ kind: 'bundle', items: { runs: [expect.stringMatching(/^imported\//)] } });
    const empty = await importFile(other.service, 'x', await packed(libraryItems({})));
    expect(empty).toEqual({ kind: 'bundle', items: libraryItems({}) });
  });

  it('holds both of two files that are one on the disk, since a bundle has no links', async () => {
    const id = await host.service.saveExperiment(null, example());
    linkSync(join(folder, `one/experiments/${id}.json`), join(folder, 'one/experiments/linked.json'));
    const bundle = await packed(libraryItems({ experiments: [id, 'linked'] }));
    await importFile(other.service, 'x', bundle);
    expect(await other.service.experiments()).toHaveLength(2);
  });

  it('is fetched once, and only what is there can be packed', async () => {
    const ticket = await host.service.packBundle(await fill());
    await finished((await host.bundle(ticket)).resume());
    await expect(host.bundle(ticket)).rejects.toMatchObject({ code: 'bundle.gone' });
    await expect(host.service.packBundle(libraryItems({ experiments: ['none'] }))).rejects.toMatchObject({
      code: 'experiment.not-found',
    });
    await expect(host.service.packBundle(libraryItems({ runs: ['none'] }))).rejects.toMatchObject({
      code: 'run.not-found',
    });
  });
});

const manifest = (fields: object = {}): string =>
  JSON.stringify({
    format: 'copyscope/bundle',
    version: 2,
    createdAt: '2026-11-20T09:00:00.000Z',
    program: 'test',
    experiments: [{ id: 'mine', name: 'Mine' }],
    runs: [],
    sweeps: [],
    ...fields,
  });
const experiment = JSON.stringify(example());
const withRun = { runs: [{ id: 'imported/a', name: 'a', notes: false }] };

let made = 0;

/** Returns an archive with any content. */
function archive(content: Archived): Promise<Uint8Array> {
  made += 1;
  return archiveOf(join(folder, `made-${made}`), content);
}

/** Returns true if a changed byte has no effect, since it refers to other bytes that are equal. */
function unpacksAlike(changed: Uint8Array, bundle: Uint8Array): boolean {
  try {
    return gunzipSync(changed).equals(gunzipSync(bundle));
  } catch {
    return false;
  }
}

const refused: readonly (readonly [what: string, made: Archived, code: RegExp])[] = [
  [
    'an experiment that is not valid',
    { files: { 'manifest.json': manifest(), 'experiments/mine.json': '{}' } },
    /damaged/,
  ],
  ['a file that is missing', { files: { 'manifest.json': manifest() } }, /damaged/],
  [
    'a file that its manifest does not name',
    {
      files: { 'manifest.json': manifest(), 'experiments/mine.json': experiment, 'experiments/more.json': experiment },
    },
    /damaged/,
  ],
  ['a file outside', { files: { 'manifest.json': manifest(), '../outside.json': experiment } }, /damaged/],
  [
    'an id that leaves its folder',
    { files: { 'manifest.json': manifest({ experiments: [{ id: '../mine', name: 'x' }] }) } },
    /damaged/,
  ],
  ['a link', { files: { 'manifest.json': manifest() }, links: { 'experiments/mine.json': '/etc/passwd' } }, /damaged/],
  [
    'a run that is none, after an experiment that is right',
    {
      files: {
        'manifest.json': manifest(withRun),
        'experiments/mine.json': experiment,
        'runs/imported/a.arrow': new Uint8Array(5000),
      },
    },
    /damaged/,
  ],
  [
    'notes that are none',
    {
      files: {
        'manifest.json': manifest({ experiments: [], runs: [{ id: 'imported/a', name: 'a', notes: true }] }),
        'runs/imported/a.arrow': run,
        'notes/imported/a.json': '[]',
      },
    },
    /damaged/,
  ],
  ['a newer version', { files: { 'manifest.json': manifest({ version: 3 }) } }, /newer-version/],
  ['a first version that names what came later', { files: { 'manifest.json': manifest({ version: 1 }) } }, /damaged/],
  ['another format', { files: { 'manifest.json': manifest({ format: 'zip' }) } }, /damaged/],
  [
    'an id twice',
    { files: { 'manifest.json': manifest({ experiments: [1, 2].map(() => ({ id: 'mine', name: 'x' })) }) } },
    /damaged/,
  ],
];

describe('a bundle from elsewhere', () => {
  it.each(refused)('with %s is refused whole', async (_what, content, code) => {
    await expect(importFile(other.service, 'x', await archive(content))).rejects.toMatchObject({
      code: expect.stringMatching(code),
      remedy: expect.any(String),
    });
    expect(kept('other')).toEqual([]);
  });

  it('is refused wherever it breaks off, and whatever byte is changed that changes what is in it', async () => {
    const bundle = await packed(await fill());
    for (let length = 200; length < bundle.length; length += Math.ceil(bundle.length / 25)) {
      await expect(importFile(other.service, 'x', bundle.slice(0, length))).rejects.toMatchObject({
        code: expect.stringMatching(/^bundle\.(truncated|damaged)$/),
      });
      const changed = bundle.slice();
      changed[length] = (changed[length] ?? 0) ^ 0x55;
      if (unpacksAlike(changed, bundle)) continue;
      await expect(importFile(other.service, 'x', changed)).rejects.toMatchObject({
        code: expect.stringMatching(/^(bundle|trace-file|run-file)\./),
      });
    }
    expect(kept('other')).toEqual([]);
  });

  it('with a second bundle behind it is refused, and says where the first ends', async () => {
    const bundle = await packed(await fill());
    const tar = gunzipSync(bundle);
    const files = {
      'two gzip members': Buffer.concat([bundle, bundle]),
      'two archives in one member': gzipSync(Buffer.concat([tar, tar])),
      'an archive behind the gzip data': Buffer.concat([bundle, tar]),
      'letters behind the archive': gzipSync(Buffer.concat([tar, Buffer.from('x')])),
    };
    for (const [what, file] of Object.entries(files)) {
      await expect(importFile(other.service, 'x', file), what).rejects.toMatchObject({
        code: 'bundle.damaged',
        message: expect.stringMatching(/ends at byte \d+ /),
      });
    }
    expect(kept('other')).toEqual([]);
    const padded = Buffer.concat([gzipSync(Buffer.concat([tar, Buffer.alloc(70_000)])), Buffer.alloc(100)]);
    await importFile(other.service, 'x', padded);
  });

  it('that unpacks to far more than it can hold is refused', async () => {
    const files = { 'manifest.json': manifest(), 'experiments/mine.json': new Uint8Array(65 * 1024 * 1024).fill(0x20) };
    const bomb = await archive({ files });
    expect(bomb.length).toBeLessThan(200_000);
    await expect(importFile(other.service, 'x', bomb)).rejects.toMatchObject({ code: 'bundle.too-large' });
    expect(kept('other')).toEqual([]);
  });

  it('takes back what it had kept when the disk fails half-way', async () => {
    const bundle = await packed(await fill());
    // The experiment can be written, but not the run.
    mkdirSync(join(folder, 'other'), { recursive: true });
    writeFileSync(join(folder, 'other/runs'), 'a file where the folder should be');
    await expect(importFile(other.service, 'x', bundle)).rejects.toMatchObject({ code: 'file.failed' });
    expect(kept('other')).toEqual(['runs']);
  });
});
