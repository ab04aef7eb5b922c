/** Opened files, new names, and deletion with undo, from a window's requests. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ranksAnswer } from '../../../core/lift/ranks.ts';
import { libraryItems } from '../../../core/service/service.ts';
import { decodeRun, encodeRun } from '../../../core/trace/arrow.ts';
import { ranksIn } from '../../../core/trace/ranks.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importedRun, importFile } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';

let folder: string;
let host: Host;
const told = toldWindow();

function start(): void {
  host = hostOf(join(folder, 'data'));
  host.addWindow(told);
}

beforeEach(async () => {
  folder = newFolder();
  start();
});
afterEach(() => {
  host.close();
  vi.clearAllMocks();
});

const kept = (): string[] =>
  existsSync(join(folder, 'data'))
    ? readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 6))
        .filter((path) => !/^(trash|cache)\//.test(path))
        .sort()
    : [];

const run = () => encodeRun(smallRun(example(), 'cpu'));
const own = async () => (await host.service.runs()).filter(({ builtIn }) => !builtIn);

describe('a file from elsewhere', () => {
  it.each([1, 100, 4096, 1 << 20])('is put together from parts of %i bytes', async (partBytes) => {
    const imported = await importFile(host.service, 'My Colleague’s.arrow', run().slice(0), partBytes);
    expect(imported).toMatchObject({ kind: 'run', isNew: true, run: { origin: 'recorded' } });
    expect(kept()).toEqual(['runs/imported/my-colleague-s.arrow']);
    expect(new Uint8Array(readFileSync(join(folder, 'data', kept()[0] ?? '')))).toEqual(run());
  });

  it('a file is recognised by its content, whatever its name', async () => {
    const json = JSON.stringify(example());
    const trace = readFileSync(join(repository, 'test/fixtures/pytorch-traces/trace_streamed0_pinned0.json'));
    const kinds = [];
    for (const [name, content] of [
      ['a', Buffer.from(run())],
      ['b.txt', Buffer.from(json)],
      ['c.json', trace],
      ['d.json.gz', gzipSync(trace)],
    ] as const) {
      const imported = await importFile(host.service, name, new Uint8Array(content), 10_000);
      kinds.push(imported.kind === 'run' ? imported.run.name : imported.kind);
    }
    expect(kinds).toEqual([example().name, 'experiment', 'c', 'd']);
  });

  it('that is in the library already is shown, and not kept twice', async () => {
    const first = await importedRun(host.service, 'a.arrow', run());
    expect(await importFile(host.service, 'b.arrow', run())).toEqual({ kind: 'run', run: first, isNew: false });
    const text = new TextEncoder().encode(JSON.stringify(example()));
    const experiment = await importFile(host.service, 'x.json', text);
    expect(await importFile(host.service, 'y.json', text)).toEqual({ ...experiment, isNew: false });
    expect(kept()).toHaveLength(2);
  });

  it('that is a rank of a job becomes one run with the others, and stays as it is alone', async () => {
    const ranks = async (...names: string[]): Promise<string[]> => {
      const ids: string[] = [];
      for (const name of names) {
        const bytes = readFileSync(join(repository, `test/fixtures/ranks-h200/${name}.json.gz`));
        ids.push((await importedRun(host.service, `${name}.json.gz`, new Uint8Array(bytes))).id);
      }
      return ids;
    };
    const ids = await ranks('slow_rank.rank0', 'slow_rank.rank1');
    const joined = await host.service.joinRanks(ids);
    if (joined?.kind !== 'run') throw new Error('the ranks were not joined');
    expect(joined.run).toMatchObject({ name: 'slow_rank', origin: 'recorded' });
    expect(told.runChanged).toHaveBeenCalledWith(joined.run.id, expect.objectContaining({ name: 'slow_rank' }));
    const whole = decodeRun(await host.service.readRun(joined.run.id));
    expect(ranksIn(whole.trace)).toEqual(['[rank0]', '[rank1]']);
    expect(ranksAnswer(whole)).toMatchObject({ slowest: 1, ranks: [{ rank: 0 }, { rank: 1 }] });
    expect(await host.service.joinRanks(ids.slice(0, 1))).toBeNull();
  });

  it.each([
    ['cut.arrow', () => run().slice(0, 500)],
    ['zeros.arrow', () => new Uint8Array(100_000)],
    ['empty.arrow', () => new Uint8Array(0)],
    ['empty.json', () => new Uint8Array(0)],
    ['cut.json', () => new TextEncoder().encode(JSON.stringify(example()).slice(0, 200))],
    ['noise.gz', () => new Uint8Array(gzipSync(Buffer.from('neither a trace nor a bundle')))],
    ['bomb.gz', () => new Uint8Array(gzipSync(Buffer.alloc(64 * 1024 * 1024, 'x')))],
    ['damaged.gz', () => Uint8Array.from([0x1f, 0x8b, 1, 2, 3, 4])],
  ])('%s is refused with a reason, and nothing of it stays', async (name, content) => {
    await expect(importFile(host.service, name, content(), 100)).rejects.toMatchObject({
      code: expect.stringMatching(/^(run-file|trace-file|experiment)\./),
      message: expect.any(String),
    });
    expect(kept()).toEqual([]);
  });

  it('is forgotten when it is cancelled', async () => {
    const ticket = await host.service.beginImport({ name: 'a.arrow', modifiedAt: '2026-11-20T09:00:00.000Z' });
    await host.service.importPart(ticket, new Uint8Array(run().slice(0, 5000)));
    expect(kept()).toHaveLength(1);
    await host.service.cancelImport(ticket);
    expect(kept()).toEqual([]);
    await expect(host.service.importPart(ticket, new Uint8Array(1))).rejects.toMatchObject({ code: 'import.gone' });
    await expect(host.service.endImport(ticket)).rejects.toMatchObject({ code: 'import.gone' });
    await host.service.cancelImport(ticket);
  });

  it('no more than a few at once', async () => {
    const file = { name: 'a', modifiedAt: '2026-11-20T09:00:00.000Z' };
    for (let count = 0; count < 16; count += 1) await host.service.beginImport(file);
    await expect(host.service.beginImport(file)).rejects.toMatchObject({ code: 'import.too-many' });
  });

  it('from the disk is shown by the window, or by the first that comes', async () => {
    const path = join(folder, 'run.arrow');
    writeFileSync(path, run());
    await host.openFile(path);
    expect(told.opened).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ kind: 'run' }));
    host.close();
    start();
    host.addWindow(told)();
    await expect(host.openFile(join(folder, 'none.arrow'))).rejects.toMatchObject({ code: 'file.not-found' });
    writeFileSync(join(folder, 'broken.arrow'), 'x');
    await expect(host.openFile(join(folder, 'broken.arrow'))).rejects.toMatchObject({
      message: expect.stringContaining('broken.arrow'),
    });
  });

  it('a file that a process was killed at is cleared away, and one that another is at is not', async () => {
    const { pid: ended } = spawnSync(process.execPath, ['-e', '']);
    const id = '0a1b2c3d-5e6f7a8b';
    const unfinished = (pid: number | undefined): string[] =>
      [
        'titles.json',
        'experiments/a.json',
        'runs/imported/b.arrow',
        'sweeps/c/sweep.json',
        'cache/seen-files.json',
      ].map((path) => join(folder, 'data', `${path}.${pid}-${id}.tmp`));
    // In a container the next process has the number of the killed one.
    const [left, others] = [[...unfinished(ended), ...unfinished(process.pid)], unfinished(process.ppid)];
    for (const path of [...left, ...others, join(folder, 'data/experiments/of-mine.tmp')]) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, 'half');
    }
    start();
    await eventually(() => expect(left.filter((path) => existsSync(path))).toEqual([]));
    expect(others.filter((path) => !existsSync(path))).toEqual([]);
    expect(existsSync(join(folder, 'data/experiments/of-mine.tmp'))).toBe(true);
  });
});

describe('the name of a run', () => {
  it('can be changed, and taken back to its experiment’s', async () => {
    const { id } = await importedRun(host.service, 'a.arrow', run());
    await host.service.renameRun(id, '  Before the fix ');
    expect((await own())[0]).toMatchObject({ name: example().name, title: 'Before the fix' });
    expect(told.runChanged).toHaveBeenLastCalledWith(id, expect.objectContaining({ title: 'Before the fix' }));
    await host.service.renameRun(id, '');
    expect((await own())[0]).not.toHaveProperty('title');
    await expect(host.service.renameRun('imported/none', 'x')).rejects.toMatchObject({ code: 'run.not-found' });
  });

  it('costs nothing but itself where the table of names is damaged', async () => {
    const { id } = await importedRun(host.service, 'a.arrow', run());
    writeFileSync(join(folder, 'data/titles.json'), '{"titles":');
    expect(await own()).toHaveLength(1);
    await host.service.renameRun(id, 'Again');
    expect((await own())[0]?.title).toBe('Again');
  });
});

describe('deleting', () => {
  async function fill() {
    const { id } = await importedRun(host.service, 'a.arrow', run());
    await host.service.saveNotes(
      id,
      notesChange([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' }]),
    );
    await host.service.renameRun(id, 'Mine');
    const experiment = await host.service.saveExperiment(null, example());
    await host.service.keepDraft(experiment, { changedAt: '2026-11-20T09:00:00.000Z', experiment: example() });
    return libraryItems({ experiments: [experiment], runs: [id] });
  }

  it('takes all that belongs to the items, and undo restores it, also after a restart', async () => {
    const items = await fill();
    const before = kept();
    const ticket = await host.service.deleteItems(items);
    expect(kept()).toEqual(['titles.json']);
    expect(told.runChanged).toHaveBeenLastCalledWith(items.runs[0], null);
    expect(await own()).toEqual([]);

    host.close();
    start();
    await host.service.restoreItems(ticket);
    expect(kept()).toEqual(before);
    expect((await own())[0]).toMatchObject({ id: items.runs[0], title: 'Mine' });
    expect((await host.service.readNotes(items.runs[0] ?? '')).notes).toHaveLength(1);
    expect((await host.service.experiments())[0]).toMatchObject({ hasDraft: true });
    await expect(host.service.restoreItems(ticket)).rejects.toMatchObject({ code: 'deletion.gone' });
  });

  it('overwrites nothing when it is undone', async () => {
    const id = await host.service.saveExperiment(null, example());
    const ticket = await host.service.deleteItems(libraryItems({ experiments: [id] }));
    expect(await host.service.saveExperiment(null, example())).toBe(id);
    await expect(host.service.restoreItems(ticket)).rejects.toMatchObject({ code: 'file.failed' });
    await host.service.deleteItems(libraryItems({ experiments: [id] }));
    await host.service.restoreItems(ticket);
    expect(await host.service.experiments()).toHaveLength(1);
  });

  it('empties the trash of what was deleted 30 days ago', async () => {
    const [old, recent] = [await host.service.deleteItems(await fill()), await host.service.deleteItems(await fill())];
    const days = (count: number): Date => new Date(Date.now() - count * 86_400_000);
    utimesSync(join(folder, 'data/trash', old, 'deleted.json'), days(31), days(31));
    utimesSync(join(folder, 'data/trash', recent, 'deleted.json'), days(29), days(29));
    start();
    await host.ready;
    expect(readdirSync(join(folder, 'data/trash'))).toEqual([recent]);
    await expect(host.service.restoreItems(old)).rejects.toMatchObject({ code: 'deletion.gone' });
  });

  it('refuses what ships with the program, and what is not there, before anything is deleted', async () => {
    const items = await fill();
    const builtIn = (await host.service.runs()).find((one) => one.builtIn)?.id ?? '';
    const before = kept();
    for (const [wrong, code] of [
      [{ ...items, runs: [...items.runs, builtIn] }, 'run.built-in'],
      [{ ...items, runs: ['imported/none'] }, 'run.not-found'],
      [{ ...items, experiments: ['none'] }, 'experiment.not-found'],
    ] as const) {
      await expect(host.service.deleteItems(wrong)).rejects.toMatchObject({ code });
    }
    expect(kept()).toEqual(before);
  });
});
