/** Disks that are full or can't be written, folders that vanish, two servers on one folder, and a clock that jumps. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { libraryItems } from '../../../core/service/service.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { createHost, type Host } from '../../../host/service/host.ts';
import { RunStore } from '../../../host/service/runStore.ts';
import { SweepStore } from '../../../host/service/sweepStore.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { importedRun } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';

let folder: string;
const hosts: Host[] = [];
const mounted: string[] = [];

function hostOn(dataFolder: string): Host {
  const host = createHost({
    about: { version: '1.2.3', shell: 'browser', platform: 'linux', dataFolder },
    assetsFolder: join(repository, 'assets'),
    spawnEngine: () => {
      throw new Error('no engine is needed');
    },
  });
  hosts.push(host);
  return host;
}

const named = (name: string) => ({ ...example(), name });
const runFile = (name: string): Uint8Array => encodeRun(smallRun(named(name), 'cpu'));
const note = notesChange([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' }]);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-bad-day-'));
});
afterEach(() => {
  vi.useRealTimers();
  for (const host of hosts.splice(0)) host.close();
  for (const disk of mounted.splice(0)) spawnSync('umount', ['-l', disk]);
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A disk of its own; null where this process may mount none. */
function disk(options: string): string | null {
  const path = mkdtempSync(join(folder, 'disk-'));
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', path]).status !== 0) return null;
  mounted.push(path);
  return path;
}

const canMount = (() => {
  const path = mkdtempSync(join(tmpdir(), 'copyscope-mount-'));
  const can = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', path]).status === 0;
  if (can) spawnSync('umount', ['-l', path]);
  rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  return can;
})();
const ofDisks = (name: string): string => (canMount ? name : `${name} (skipped: no disk can be mounted here)`);

/** Everything that was kept, and what no one finished. */
const kept = (dataFolder: string): string[] =>
  readdirSync(dataFolder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dataFolder.length + 1))
    .filter((path) => !/^(cache|deleted)\//.test(path))
    .sort();

describe.skipIf(!canMount)(ofDisks('a full disk'), () => {
  it('keeps what was confirmed, leaves no beginning of anything, and lets its user delete', async () => {
    const dataFolder = disk('size=1m') ?? '';
    const { service } = hostOn(dataFolder);
    const id = await service.saveExperiment(null, named('mine'));
    const { id: run } = await importedRun(service, 'a.arrow', runFile('a'));
    await service.saveNotes(run, note);
    const before = kept(dataFolder);
    const filling = join(dataFolder, 'cache');
    mkdirSync(filling, { recursive: true });
    expect(() => {
      for (const size of [65_536, 4096, 1]) {
        for (let at = 0; at < 1000; at += 1) {
          try {
            writeFileSync(join(filling, `${size}-${at}`), new Uint8Array(size));
          } catch {
            break;
          }
        }
      }
      writeFileSync(join(filling, 'last'), new Uint8Array(65_536));
    }).toThrow('ENOSPC');
    const full = { code: 'file.failed', message: expect.stringContaining('ENOSPC') };
    await expect(service.saveExperiment(null, named('other'))).rejects.toMatchObject(full);
    await expect(service.saveExperiment(id, { ...named('mine'), description: 'x'.repeat(9000) })).rejects.toMatchObject(
      full,
    );
    await expect(importedRun(service, 'b.arrow', runFile('b'))).rejects.toMatchObject(full);
    expect(kept(dataFolder)).toEqual(before);
    expect(JSON.parse(await service.readExperiment(id)).description).toBe(example().description);
    await service.deleteItems(libraryItems({ experiments: [id], runs: [run] }), true);
    expect(kept(dataFolder)).toEqual([]);
  });
});

describe.skipIf(!canMount)(ofDisks('a folder that can’t be written'), () => {
  it('is read all the same, and says why nothing is kept', async () => {
    const dataFolder = disk('size=4m') ?? '';
    const first = hostOn(dataFolder);
    const id = await first.service.saveExperiment(null, named('mine'));
    expect(spawnSync('mount', ['-o', 'remount,ro', dataFolder]).status).toBe(0);
    const { service } = hostOn(dataFolder);
    expect(JSON.parse(await service.readExperiment(id)).name).toBe('mine');
    const refused = { code: 'file.failed', message: expect.stringContaining('EROFS'), remedy: expect.any(String) };
    await expect(service.saveExperiment(null, named('other'))).rejects.toMatchObject(refused);
    await expect(service.saveExperiment(id, named('mine'))).rejects.toMatchObject(refused);
    await expect(importedRun(service, 'a.arrow', runFile('a'))).rejects.toMatchObject(refused);
    await expect(service.deleteItems(libraryItems({ experiments: [id] }), true)).rejects.toMatchObject(refused);
    expect((await service.experiments()).map((one) => one.id)).toEqual([id]);
  });
});

describe('a folder that vanishes', () => {
  it('is empty then, and made anew by what is kept next', async () => {
    const dataFolder = join(folder, 'data');
    const { service } = hostOn(dataFolder);
    await service.saveExperiment(null, named('mine'));
    const { id: run } = await importedRun(service, 'a.arrow', runFile('a'));
    renameSync(dataFolder, join(folder, 'elsewhere'));
    expect(await service.experiments()).toEqual([]);
    await expect(service.readRun(run)).rejects.toMatchObject({ code: 'run.not-found' });
    await expect(service.saveNotes(run, note)).rejects.toMatchObject({ code: 'run.not-found' });
    const again = await service.saveExperiment(null, named('mine'));
    expect((await service.experiments()).map(({ id }) => id)).toEqual([again]);
    // What was there is where it went.
    expect(kept(join(folder, 'elsewhere'))).toEqual(['experiments/mine.json', 'runs/imported/a.arrow']);
  });
});

describe('two servers on one data folder', () => {
  it('never write over one another’s, whatever both keep under one name at once', async () => {
    const dataFolder = join(folder, 'data');
    const both = [hostOn(dataFolder), hostOn(dataFolder)].map(({ service }) => service);
    const descriptions = Array.from({ length: 10 }, (_, at) => `${at}`);
    const saved = await Promise.all(
      descriptions.flatMap((description) =>
        both.map((service, side) =>
          service.saveExperiment(null, { ...named('mine'), description: `${side}-${description}` }),
        ),
      ),
    );
    expect(new Set(saved).size).toBe(20);
    const [service] = both;
    const found = await Promise.all(saved.map(async (id) => JSON.parse((await service?.readExperiment(id)) ?? '')));
    expect(new Set(found.map(({ description }) => description)).size).toBe(20);
    const imported = await Promise.all(both.map((one, side) => importedRun(one, 'a.arrow', runFile(`r${side}`))));
    expect(new Set(imported.map(({ id }) => id)).size).toBe(2);
    expect(new Set(imported.map(({ name }) => name)).size).toBe(2);
  });

  it('keep both runs that began in the same second under one name', async () => {
    const assets = { recordedRuns: async () => [] } as unknown as ConstructorParameters<typeof RunStore>[1];
    const both = [new RunStore(join(folder, 'runs'), assets), new RunStore(join(folder, 'runs'), assets)];
    const at = new Date('2026-11-20T09:00:00.000Z');
    const { info } = smallRun(named('mine'), 'cpu');
    const ids = await Promise.all(both.map((store) => store.newId(at, 'mine')));
    expect(new Set(ids).size).toBe(1);
    const added = await Promise.all(both.map((store, side) => store.add(ids[side] ?? '', info, runFile(`r${side}`))));
    expect(added.map(({ id }) => id).sort()).toEqual(['20261120-090000-mine', '20261120-090000-mine-2']);
    expect(readdirSync(join(folder, 'runs')).length).toBe(2);
  });

  it('keep both sweeps that began in the same second under one name', async () => {
    const both = [new SweepStore(join(folder, 'sweeps')), new SweepStore(join(folder, 'sweeps'))];
    const kept = { createdAt: '2026-11-20T09:00:00.000Z', sweep: { name: 'mine' } };
    const created = await Promise.all(
      both.map((store) => store.create(kept as unknown as Parameters<SweepStore['create']>[0])),
    );
    expect(new Set(created.map(({ id }) => id)).size).toBe(2);
  });
});

describe('a clock that jumps', () => {
  it.each([
    ['back by ten years', '2016-11-20T09:00:00.000Z'],
    ['forward by ten years', '2036-11-20T09:00:00.000Z'],
  ])('%s loses nothing, and the next start reads all of it', async (_, then) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date('2026-11-20T09:00:00.000Z') });
    const dataFolder = join(folder, 'data');
    const first = hostOn(dataFolder);
    const id = await first.service.saveExperiment(null, named('mine'));
    const { id: run } = await importedRun(first.service, 'a.arrow', runFile('a'));
    vi.setSystemTime(new Date(then));
    await first.service.saveExperiment(id, { ...named('mine'), description: 'changed' });
    const { id: other } = await importedRun(first.service, 'b.arrow', runFile('b'));
    const ticket = await first.service.deleteItems(libraryItems({ runs: [run] }), true);
    await first.service.restoreItems(ticket);
    vi.setSystemTime(new Date('2026-11-20T09:00:01.000Z'));
    const { service } = hostOn(dataFolder);
    expect(JSON.parse(await service.readExperiment(id)).description).toBe('changed');
    const runs = (await service.runs()).filter(({ builtIn }) => !builtIn);
    expect(runs.map((one) => [one.id, one.status]).sort()).toEqual([run, other].map((one) => [one, 'complete']).sort());
  });
});
