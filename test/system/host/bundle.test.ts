/** A bundle holds a library whole; one that is damaged or made to harm leaves nothing behind. */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type LibraryItems, libraryItems } from '../../../core/service/service.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { readBundle } from '../../../host/service/bundle/readBundle.ts';
import { writeBundle } from '../../../host/service/bundle/writeBundle.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { type Archived, archiveOf } from '../../unit/host/support/archives.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { importedRun, importFile } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { eventually } from '../../unit/support/eventually.ts';

let folder: string;
let host: Host;
let other: Host;

function makeHost(name: string): Host {
  return createHost({
    about: { version: '1.2.3', shell: 'browser', platform: 'linux', dataFolder: join(folder, name) },
    assetsFolder: join(repository, 'assets'),
    spawnEngine: () => {
      throw new Error('no engine is needed');
    },
  });
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-bundle-'));
  host = makeHost('one');
  other = makeHost('other');
});
afterEach(() => {
  host.close();
  other.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = encodeRun(smallRun(example(), 'cpu'));
const note = { id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' };

/** An experiment, and a run with a name and a note. */
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
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
};

/** Calls to the file system wait in one line for a few threads: when many have gone through it, those before have too. */
async function afterEarlierFileCalls(path: string): Promise<void> {
  for (let turn = 0; turn < 50; turn += 1) await Promise.all([stat(path), stat(path), stat(path), stat(path)]);
}

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

  it('never replaces anything: what is there already is kept beside it', async () => {
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

  it('is a tar archive that begins with what it holds', async () => {
    const tar = gunzipSync(await packed(await fill()));
    expect(tar.toString('latin1', 257, 262)).toBe('ustar');
    const names = Array.from({ length: tar.length / 512 }, (_, block) => tar.subarray(block * 512, (block + 1) * 512))
      .filter((block) => block.toString('latin1', 257, 262) === 'ustar')
      .map((block) => block.toString('latin1', 0, 100).replace(/\0.*$/s, ''));
    expect(names).toEqual([
      'manifest.json',
      'experiments/pinned-source-second-stream.json',
      'runs/imported/a.arrow',
      'notes/imported/a.json',
    ]);
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

/** An archive of whatever one likes. */
function archive(content: Archived): Promise<Uint8Array> {
  made += 1;
  return archiveOf(join(folder, `made-${made}`), content);
}

/** One changed byte can refer to other bytes that are equal, so that all that was packed is still there. */
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

describe.skipIf(process.platform !== 'linux')('a bundle that is not read to its end (skipped: Linux only)', () => {
  /** Whatever this process has open of runs. */
  const openRuns = (): string[] =>
    readdirSync('/proc/self/fd').flatMap((name) => {
      try {
        const path = readlinkSync(join('/proc/self/fd', name));
        return path.endsWith('.arrow') ? [path] : [];
      } catch {
        return [];
      }
    });

  it('leaves no run open, and begins none that is not read any more', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
    const files = ids.map((id) => ({ kind: 'run', id, path: join(folder, `${id}.arrow`) }) as const);
    for (const { path } of files) writeFileSync(path, randomBytes(8 * 1024 * 1024));
    const runs = ids.map((id) => ({ id, name: id, notes: false }));
    const packing = join(folder, 'packing');
    const stream = await writeBundle(JSON.parse(manifest({ experiments: [], runs })), files, packing);
    const opened = new Set<string>();
    for await (const _ of stream) {
      for (const path of openRuns()) opened.add(path);
      if (opened.size > 0) break;
    }
    await eventually(() => {
      for (const path of openRuns()) opened.add(path);
      expect(openRuns()).toEqual([]);
      expect(existsSync(packing)).toBe(false);
    });
    expect([...opened]).not.toContain(files.at(-1)?.path);
  });
});

describe('a bundle from elsewhere', () => {
  it('of the first version, which knew no sweeps, is read', async () => {
    const { sweeps: _, ...first } = { ...JSON.parse(manifest(withRun)), version: 1 };
    const files = {
      'manifest.json': JSON.stringify(first),
      'experiments/mine.json': experiment,
      'runs/imported/a.arrow': run,
    };
    expect(await importFile(other.service, 'x', await archive({ files }))).toEqual({
      kind: 'bundle',
      items: { experiments: ['pinned-source-second-stream'], runs: ['imported/a'], sweeps: [] },
    });
  });

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

  it('leaves a folder that can be removed once it is refused: nothing is written there any more', async () => {
    const bundle = await packed(await fill());
    const archived = join(folder, 'breaks-off');
    for (let length = bundle.length - 20; length > bundle.length / 2; length -= Math.ceil(bundle.length / 40)) {
      writeFileSync(archived, bundle.slice(0, length));
      const unpacked = mkdtempSync(join(folder, 'unpacked-'));
      await expect(readBundle(archived, unpacked)).rejects.toMatchObject({ code: 'bundle.truncated' });
      rmSync(unpacked, { recursive: true });
      // A file that was about to be opened would be there by then, or have failed for want of its folder.
      mkdirSync(unpacked);
      await afterEarlierFileCalls(unpacked);
      expect(readdirSync(unpacked)).toEqual([]);
    }
  });

  it('of which a file can’t be written, as on a full disk, is refused', async () => {
    const files = { 'manifest.json': manifest(), 'experiments/mine.json': new Uint8Array(4 * 1024 * 1024) };
    const [archived, unpacked] = [join(folder, 'large'), join(folder, 'unpacked')];
    writeFileSync(archived, await archive({ files }));
    mkdirSync(unpacked);
    writeFileSync(join(unpacked, '0'), 'in the way');
    await expect(readBundle(archived, unpacked)).rejects.toMatchObject({ code: 'file.failed' });
  });

  it.skipIf(process.platform !== 'linux')('of thousands of files has few of them open at a time', async () => {
    const ids = Array.from({ length: 2000 }, (_, number) => `e${number}`);
    const names = ids.map((id) => `experiments/${id}.json`);
    const content = { 'manifest.json': manifest({ experiments: ids.map((id) => ({ id, name: id })) }) };
    const files = { ...content, ...Object.fromEntries(names.map((name) => [name, '{}'])) };
    const [archived, unpacked] = [join(folder, 'many'), join(folder, 'unpacked')];
    writeFileSync(archived, await archive({ files }));
    mkdirSync(unpacked);
    const openNow = (): number => readdirSync('/proc/self/fd').length;
    const before = openNow();
    let [most, isDone] = [0, false];
    const reading = readBundle(archived, unpacked).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      most = Math.max(most, openNow() - before);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect((await reading).files).toHaveLength(2000);
    expect(most).toBeLessThan(32);
  });

  it('that unpacks to far more than it can hold is refused', async () => {
    const files = { 'manifest.json': manifest(), 'experiments/mine.json': new Uint8Array(65 * 1024 * 1024).fill(0x20) };
    const bomb = await archive({ files });
    expect(bomb.length).toBeLessThan(200_000);
    await expect(importFile(other.service, 'x', bomb)).rejects.toMatchObject({ code: 'bundle.too-large' });
    expect(kept('other')).toEqual([]);
  });

  it('whose manifest comes late is none', async () => {
    const files = { 'manifest.json': manifest(), 'experiments/mine.json': experiment };
    const late = await archive({ files, order: ['experiments/mine.json', 'manifest.json'] });
    await expect(importFile(other.service, 'x', late)).rejects.toMatchObject({ code: 'trace-file.not-a-trace' });
  });

  it('takes back what it had kept when the disk fails half-way', async () => {
    const bundle = await packed(await fill());
    // The experiment can be written, and the run can't.
    mkdirSync(join(folder, 'other'), { recursive: true });
    writeFileSync(join(folder, 'other/runs'), 'a file where the folder should be');
    await expect(importFile(other.service, 'x', bundle)).rejects.toMatchObject({ code: 'file.failed' });
    expect(kept('other')).toEqual(['runs']);
  });
});
