import { appendFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { requireArguments } from '../../../core/service/requests.ts';
import { libraryItems, type SweepSummary } from '../../../core/service/service.ts';
import { decodeRun } from '../../../core/trace/arrow.ts';
import { forkEngine } from '../../../host/engine/child.ts';
import type { Host } from '../../../host/service/host.ts';
import { newFolder } from '../../support/newFolder.ts';
import { buildEntry } from '../../unit/host/support/buildEntry.ts';
import { hostOf } from '../../unit/host/support/hostOf.ts';
import { importFile } from '../../unit/host/support/imports.ts';
import { notesChange } from '../../unit/host/support/notes.ts';
import { copyscope, engineEntry } from '../../unit/host/support/terminal.ts';
import { toldWindow } from '../../unit/host/support/toldWindow.ts';
import { eventually } from '../../unit/support/eventually.ts';

/** 4 chunk sizes by 2 stream counts; the largest chunk is larger than the tensor. */
const document = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Chunks by streams',
  base: { template: 'chunked-pipeline', parameters: { bytes: '4 MiB', chunkBytes: '1 MiB' } },
  axes: [
    { parameter: 'chunkBytes', from: '1 MiB', to: '8 MiB', points: 4, scale: 'geometric' },
    { parameter: 'streams', values: [1, 2] },
  ],
};

const built = await buildEntry(engineEntry);
let folder: string;
let host: Host;
const told = toldWindow();

function open(): Host {
  const made = hostOf(folder, { spawnEngine: () => forkEngine(built) });
  made.addWindow(told);
  return made;
}

const last = (id: string): SweepSummary | undefined =>
  told.sweepChanged.mock.calls.filter(([changed]) => changed === id).at(-1)?.[1] as SweepSummary | undefined;

const ended = (id: string): Promise<SweepSummary> =>
  eventually(() => {
    const summary = last(id);
    if (summary === undefined || summary.status === 'running') throw new Error('still running');
    return summary;
  });

/** Returns the library's files with sizes. */
const keptFiles = (): string[] =>
  ['sweeps', 'notes'].flatMap((name) =>
    existsSync(join(folder, name))
      ? readdirSync(join(folder, name), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((path) => `${path.slice(folder.length)} ${statSync(path).size}`)
          .sort()
      : [],
  );

beforeEach(() => {
  folder = newFolder();
  host = open();
});
afterEach(() => {
  host.close();
  vi.clearAllMocks();
});

describe('a sweep on the host', () => {
  it('a sweep gets another name, which stays, goes into its document and is reported; not while it runs', async () => {
    const { id } = await host.service.startSweep({ sweep: document, engine: 'sim' });
    await expect(host.service.renameSweep(id, 'Too early')).rejects.toMatchObject({ code: 'sweep.running' });
    await ended(id);
    const before = await host.service.readSweep(id);
    await host.service.renameSweep(id, 'On the new node');
    expect(last(id)).toEqual({ ...before.summary, name: 'On the new node' });
    host.close();
    host = open();
    expect(await host.service.readSweep(id)).toEqual({
      ...before,
      summary: { ...before.summary, name: 'On the new node' },
      document: { ...before.document, name: 'On the new node' },
    });
    await expect(host.service.renameSweep('none', 'x')).rejects.toMatchObject({ code: 'sweep.not-found' });
    expect(() => requireArguments('renameSweep', [id, '  '])).toThrow(
      expect.objectContaining({ code: 'request.invalid' }),
    );
  });

  it('answers at once, runs every point, keeps those that fail with their reason, and each point is a run', async () => {
    const begun = await host.service.startSweep({ sweep: document, engine: 'sim' });
    expect(begun).toMatchObject({ status: 'running', points: 8, done: 0, failed: 0 });
    // The origin of its runs.
    expect(begun).toMatchObject({ origin: 'simulated', device: 'NVIDIA H200' });
    expect(await ended(begun.id)).toMatchObject({ status: 'complete', done: 6, failed: 2 });
    const { outcomes } = await host.service.readSweep(begun.id);
    expect(outcomes.map(({ point, status }) => [point, status])).toEqual(
      Array.from({ length: 8 }, (_, point) => [point, point < 6 ? 'done' : 'failed']),
    );
    expect(outcomes[6]).toMatchObject({ error: { code: 'template.invalid', field: 'chunkBytes' } });
    expect(told.sweepPoint.mock.calls.map(([, { point }]) => point)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);

    const first = outcomes[0];
    if (first?.status !== 'done') throw new Error('point 0 failed');
    expect(first.figures['makespan']?.median).toBe(first.run.makespanNs);
    expect(first.linkBytesPerSecond).toBeCloseTo(63.015e9, -7);
    const run = decodeRun(await host.service.readRun(first.run.id));
    expect(run.info.experiment?.name).toBe('Chunks by streams: chunk size 1 MiB, streams 1');
    expect((await host.service.runFile(first.run.id)).bytes).toBeGreaterThan(1000);
    expect((await host.runFile(first.run.id)).path).toContain(folder);

    const listed = (await host.service.runs()).filter(({ sweep }) => sweep === begun.id);
    expect(listed.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5].map((point) => `sweep/${begun.id}/${point}`));
    await expect(host.service.deleteItems(libraryItems({ runs: [first.run.id] }))).rejects.toMatchObject({
      code: 'run.of-sweep',
    });
    await expect(host.service.readRun(`sweep/${begun.id}/6`)).rejects.toMatchObject({ code: 'run.not-found' });
    await expect(host.service.continueSweep(begun.id, false)).rejects.toMatchObject({ code: 'sweep.complete' });
  });

  it('is cancelled between points, keeps what was done, and goes on where it stopped', async () => {
    const sweep = { ...document, axes: [{ parameter: 'passes', from: 1, to: 400, points: 400 }] };
    const { id } = await host.service.startSweep({ sweep, engine: 'sim' });
    await eventually(() => expect(last(id)?.done).toBeGreaterThan(2));
    const items = libraryItems({ sweeps: [id] });
    await expect(host.service.deleteItems(items)).rejects.toMatchObject({ code: 'sweep.running' });
    await host.service.cancelSweep(id);
    const stopped = await ended(id);
    expect(stopped).toMatchObject({ status: 'stopped', failed: 0 });
    expect(stopped.done).toBeLessThan(400);
    await expect(host.service.cancelSweep(id)).rejects.toMatchObject({ code: 'sweep.not-found' });

    expect(await host.service.continueSweep(id, false)).toMatchObject({ status: 'running', done: stopped.done });
    await eventually(() => expect(last(id)?.done).toBeGreaterThan(stopped.done));
    await host.service.cancelSweep(id);
    await ended(id);
    const points = (await host.service.readSweep(id)).outcomes.map(({ point }) => point);
    expect(points).toEqual(points.map((_, index) => index));
  });

  it('that ends with its host is stopped afterwards, with what was done, and without a failure', async () => {
    const sweep = { ...document, axes: [{ parameter: 'passes', from: 1, to: 400, points: 400 }] };
    const { id } = await host.service.startSweep({ sweep, engine: 'sim' });
    await eventually(() => expect(last(id)?.done).toBeGreaterThan(2));
    host.close();
    await ended(id);
    host = open();
    const [kept] = await host.service.sweeps();
    expect(kept).toMatchObject({ id, status: 'stopped', failed: 0, points: 400 });
    expect(kept?.done).toBeGreaterThan(2);
    expect(decodeRun(await host.service.readRun(`sweep/${id}/1`)).info.status).toBe('complete');
  });

  it('survives a line that was cut off, and points that were written twice', async () => {
    const { id } = await host.service.startSweep({ sweep: document, engine: 'sim' });
    await ended(id);
    host.close();
    const path = join(folder, 'sweeps', id, 'points.jsonl');
    const lines = readFileSync(path, 'utf8');
    writeFileSync(path, lines.slice(0, -40));
    host = open();
    expect(await host.service.sweeps()).toMatchObject([{ id, status: 'stopped', done: 6, failed: 1 }]);
    await host.service.continueSweep(id, false);
    expect(await ended(id)).toMatchObject({ status: 'complete', done: 6, failed: 2 });
    appendFileSync(path, '\n{"point":0,"status":"failed","error":{"code":"x","message":"y"}}\nnonsense\n{"point":99}');
    const { outcomes } = await host.service.readSweep(id);
    expect(outcomes.map(({ point, status }) => `${point} ${status}`).sort()[0]).toBe('0 failed');
    expect(outcomes).toHaveLength(8);
    await host.service.continueSweep(id, true);
    expect(await ended(id)).toMatchObject({ status: 'complete', done: 6, failed: 2 });
  });

  it('lists a damaged one with its problem, and deletes it; Undo brings it back as it was', async () => {
    const { id } = await host.service.startSweep({ sweep: document, engine: 'sim' });
    await ended(id);
    writeFileSync(join(folder, 'sweeps', id, 'sweep.json'), '{"format":');
    expect(await host.service.sweeps()).toMatchObject([{ id, problem: { code: 'sweep.damaged' } }]);
    const ticket = await host.service.deleteItems(libraryItems({ sweeps: [id] }));
    expect(await host.service.sweeps()).toEqual([]);
    expect(existsSync(join(folder, 'sweeps', id))).toBe(false);
    expect(told.sweepChanged).toHaveBeenLastCalledWith(id, null);
    await host.service.restoreItems(ticket);
    await eventually(() => expect(last(id)).toMatchObject({ problem: { code: 'sweep.damaged' } }));
    await host.service.deleteItems(libraryItems({ sweeps: [id] }));
    await expect(host.service.readSweep(id)).rejects.toMatchObject({ code: 'sweep.not-found' });
    await expect(host.service.readSweep('../runs')).rejects.toMatchObject({ code: 'sweep.not-found' });
  });

  it('is deleted with its runs and their notes, and undo restores all of it', async () => {
    const { id } = await host.service.startSweep({ sweep: document, engine: 'sim' });
    await ended(id);
    const run = `sweep/${id}/3`;
    const note = { id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' };
    await host.service.saveNotes(run, notesChange([note]));
    const before = await host.service.readSweep(id);
    const files = keptFiles();

    const ticket = await host.service.deleteItems(libraryItems({ sweeps: [id] }));
    expect(await host.service.sweeps()).toEqual([]);
    expect((await host.service.runs()).filter(({ sweep }) => sweep === id)).toEqual([]);
    expect(keptFiles()).toEqual([]);
    await expect(host.service.readRun(run)).rejects.toMatchObject({ code: 'run.not-found' });

    told.sweepPoint.mockClear();
    await host.service.restoreItems(ticket);
    expect(keptFiles()).toEqual(files);
    expect(await host.service.readSweep(id)).toEqual(before);
    expect((await host.service.readNotes(run)).notes).toEqual([note]);
    // Windows are notified of its runs before the sweep itself.
    await eventually(() => expect(last(id)).toMatchObject({ status: 'complete' }));
    expect(told.sweepPoint.mock.calls.map(([, { point }]) => point)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    await expect(host.service.restoreItems(ticket)).rejects.toMatchObject({ code: 'deletion.gone' });
  });

  it('a bundle brings a sweep and its runs to a library that lacks them', async () => {
    const { id } = await host.service.startSweep({ sweep: document, engine: 'sim' });
    await ended(id);
    const before = await host.service.readSweep(id);
    const items = libraryItems({ sweeps: [id] });
    const parts: Buffer[] = [];
    for await (const part of await host.bundle(await host.service.packBundle(items))) parts.push(part as Buffer);
    await host.service.deleteItems(items);
    const imported = await importFile(host.service, 'sweep.copyscope', new Uint8Array(Buffer.concat(parts)));
    if (imported.kind !== 'bundle') throw new Error(imported.kind);
    const [again = ''] = imported.items.sweeps;
    const { outcomes, document: kept } = await host.service.readSweep(again);
    expect(kept).toEqual(before.document);
    expect(outcomes.map(({ status }) => status)).toEqual(before.outcomes.map(({ status }) => status));
    expect(decodeRun(await host.service.readRun(`sweep/${again}/0`)).info.status).toBe('complete');
  });

  it('is refused before anything is kept where it can’t be run', async () => {
    const bad = { ...document, axes: [] };
    await expect(host.service.startSweep({ sweep: bad, engine: 'sim' })).rejects.toMatchObject({
      code: 'sweep.invalid',
    });
    const request = { sweep: document, engine: 'sim' as const, profile: 'none' };
    await expect(host.service.startSweep(request)).rejects.toMatchObject({ code: 'profile.not-found' });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('copyscope sweep', () => {
  const cli = (...args: string[]) => copyscope(args, built);
  const file = (content: unknown): string => {
    const path = join(folder, 'sweep.json');
    writeFileSync(path, JSON.stringify(content));
    return path;
  };

  it('prints a line for each point, says which failed and why, and exits with 1 where one did', async () => {
    const { exitCode, out, err } = await cli('sweep', file(document), '--engine', 'sim');
    expect(exitCode).toBe(1);
    expect(out).toMatch(/^simulated on NVIDIA H200; 8 points, of which 2 failed/m);
    expect(out).toMatch(/^1 MiB +1 +[\d.]+ µs +[\d.]+ GB\/s/m);
    expect(out).toMatch(/^8 MiB +2 +failed$/m);
    expect(out).toContain('a chunk of 8.00 MiB is larger than the tensor of 4.00 MiB.');
    expect(err).toContain('2 of 8 points failed');
  });

  it('prints every figure as JSON, and keeps each run where asked', async () => {
    const good = { ...document, axes: [{ parameter: 'streams', values: [1, 2] }] };
    const folderOfRuns = join(folder, 'runs-out');
    const { exitCode, out, err } = await cli('sweep', file(good), '--engine', 'sim', '--json', '--out', folderOfRuns);
    expect({ exitCode, err }).toEqual({ exitCode: 0, err: '' });
    const results = JSON.parse(out);
    expect(results).toMatchObject({
      format: 'copyscope/sweep-results',
      version: 1,
      origin: 'simulated',
      status: 'complete',
    });
    expect(results.points).toMatchObject([
      { point: 0, values: [1], status: 'done', makespanInterval: { level: 0.9 } },
      { point: 1, values: [2], status: 'done', bandwidthIntervals: { h2d: { level: 0.9 } } },
    ]);
    expect(results.points[0].figures.makespan.median).toBeGreaterThan(results.points[1].figures.makespan.median);
    expect(readdirSync(folderOfRuns)).toEqual(['0000.arrow', '0001.arrow']);
  });
});
