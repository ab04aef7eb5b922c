import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { libraryItems, type RunSummary } from '../../../core/service/service.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { example } from '../../unit/host/support/runs.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';

const built = await buildEntry(fileURLToPath(new URL('../../unit/host/support/scriptedEngine.ts', import.meta.url)));
let folder: string;
let host: Host;
const told = toldWindow();

const start = (behaviour: string): Promise<RunSummary> =>
  host.service.startRun({ experiment: { ...example(), name: behaviour }, engine: 'cpu' });

/** Returns the last summary of a run sent to the windows, after its end. */
const end = (id: string): Promise<RunSummary> =>
  eventually(() => {
    const last = told.runChanged.mock.calls.filter(([changed]) => changed === id).at(-1)?.[1] as RunSummary;
    expect(last.status).not.toBe('running');
    return last;
  });

const inProgress = (id: string): Promise<void> =>
  eventually(() => expect(told.runProgress).toHaveBeenCalledWith(id, expect.anything()));

/** Returns files without the cache, which is written independently. */
const files = (): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => !name.startsWith('cache'));

describe('the host', () => {
  beforeEach(() => {
    folder = newFolder();
    host = hostOf(folder, { spawnEngine: () => forkEngine(built) });
    host.addWindow(told);
  });
  afterEach(() => {
    host.close();
    vi.clearAllMocks();
  });

  it('answers at once, tells of the end, and keeps the run on disk', async () => {
    const begun = await start('complete');
    expect(begun).toMatchObject({ status: 'running', makespanNs: null, engine: 'cpu', device: 'CPU' });
    const ended = await end(begun.id);
    expect(ended).toMatchObject({ id: begun.id, status: 'complete', origin: 'measured', makespanNs: 386_000 });
    expect((await host.service.runs()).filter(({ id }) => id === begun.id)).toEqual([ended]);
    expect(decodeRun(await host.service.readRun(begun.id)).info.experiment?.name).toBe('complete');
  });

  it('keeps a failed run listed with its reason, without a file, and runs the next', async () => {
    const { id } = await start('exit 7');
    const failed = await end(id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'engine.lost' } });
    expect(await host.service.runs()).toContainEqual(failed);
    await expect(host.service.readRun(id)).rejects.toMatchObject({ code: 'engine.lost' });
    expect(files()).toEqual([]);
    expect((await end((await start('complete')).id)).status).toBe('complete');
    expect(told.engineChanged).toHaveBeenCalledWith(null, expect.objectContaining({ code: 'engine.lost' }));
    const ticket = await host.service.deleteItems(libraryItems({ runs: [id] }));
    expect((await host.service.runs()).map((run) => run.id)).not.toContain(id);
    expect(told.runChanged).toHaveBeenCalledWith(id, null);
    await host.service.restoreItems(ticket);
    expect(await host.service.runs()).toContainEqual(failed);
  });

  it('cancels a run in progress, and one that waits', async () => {
    const first = await start('until cancelled');
    await inProgress(first.id);
    const second = await start('complete');
    await expect(host.service.readRun(first.id)).rejects.toMatchObject({ code: 'run.running' });
    await expect(host.service.deleteItems(libraryItems({ runs: [first.id] }))).rejects.toMatchObject({
      code: 'run.running',
    });
    await host.service.cancelRun(second.id);
    expect(await end(second.id)).toMatchObject({ status: 'cancelled' });
    await host.service.cancelRun(first.id);
    expect(await end(first.id)).toMatchObject({ status: 'cancelled', error: { code: 'run.cancelled' } });
    await expect(host.service.cancelRun(first.id)).rejects.toMatchObject({ code: 'run.not-found' });
    expect(files()).toEqual([]);
  });

  it('refuses a bad request before anything begins', async () => {
    const bad = { ...example(), streams: [] };
    await expect(host.service.startRun({ experiment: bad, engine: 'sim' })).rejects.toMatchObject({
      code: 'experiment.invalid',
    });
    const gap = { ...example(), streams: [{ id: 'side', priority: -1 }] };
    await expect(host.service.startRun({ experiment: gap, engine: 'cpu' })).rejects.toMatchObject({
      code: 'engine.unsupported',
      field: 'streams[0].priority',
    });
    const request = { experiment: example(), engine: 'sim' as const, profile: 'none' };
    await expect(host.service.startRun(request)).rejects.toMatchObject({ code: 'profile.not-found' });
    expect(told.runChanged).not.toHaveBeenCalled();
    expect(files()).toEqual([]);
  });

  it('tells every window of experiments saved and deleted, and none that was taken off', async () => {
    const gone = { ...told, experimentsChanged: vi.fn() };
    host.addWindow(gone)();
    const id = await host.service.saveExperiment(null, example());
    await host.service.deleteItems(libraryItems({ experiments: [id] }));
    await expect(host.service.saveExperiment(null, {})).rejects.toThrow();
    expect(told.experimentsChanged).toHaveBeenCalledTimes(2);
    expect(gone.experimentsChanged).not.toHaveBeenCalled();
  });
});
