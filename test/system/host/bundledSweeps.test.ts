/** A library goes out as a bundle and comes in elsewhere the same; a damaged sweep in it costs itself and nothing else. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../../core/errors.ts';
import type { EngineKind } from '../../../core/program/engineKind.ts';
import { type Imported, type LibraryItems, libraryItems } from '../../../core/service/service.ts';
import { type SweepDocument, sweepFormat } from '../../../core/sweep/document.ts';
import { runFigures } from '../../../core/sweep/metrics.ts';
import { encodeRun } from '../../../core/trace/arrow.ts';
import { type RunNote, runNotes } from '../../../core/trace/notes.ts';
import type { Run } from '../../../core/trace/run.ts';
import { Assets } from '../../../host/service/assets.ts';
import { doneOutcome, type KeptSweep, sweepRunId } from '../../../host/service/keptSweep.ts';
import { Library } from '../../../host/service/library.ts';
import { readRunFile } from '../../../host/service/runStore.ts';
import { runs } from '../../support/effort.ts';
import { archiveOf, filesOf } from '../../unit/host/support/archives.ts';
import { repository } from '../../unit/host/support/buildEntry.ts';
import { example, smallRun } from '../../unit/host/support/runs.ts';
import { copyscope } from '../../unit/host/support/terminal.ts';

let folder: string;
let libraries: Library[] = [];
let names = 0;

const unusedName = (): string => {
  names += 1;
  return join(folder, `${names}`);
};

function library(dataFolder = unusedName()): Library {
  const made = new Library({ dataFolder, assets: new Assets(join(repository, 'assets')), bin: null, version: '1.2.3' });
  libraries.push(made);
  return made;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'copyscope-sweeps-'));
});
afterEach(() => {
  for (const one of libraries) one.close();
  libraries = [];
  rmSync(folder, { recursive: true, force: true });
});

interface MadeRun {
  readonly engine: EngineKind;
  readonly makespanNs: number;
}

interface MadePoint {
  readonly run: MadeRun | null;
  readonly note: string | null;
}

interface MadeSweep {
  readonly name: string;
  readonly engine: EngineKind;
  readonly iterations: number | null;
  readonly description: string;
  /** Null for a point that was not reached. */
  readonly points: readonly (MadePoint | null)[];
  /** The points in the order in which they were reached. */
  readonly order: readonly number[];
}

interface MadeLibrary {
  readonly experiments: readonly string[];
  readonly runs: readonly (MadeRun & {
    readonly title: string;
    readonly note: string | null;
    readonly here: boolean;
  })[];
  readonly sweeps: readonly MadeSweep[];
}

const engine = fc.constantFrom('sim', 'cpu', 'cuda');
const words = fc.string({ minLength: 1, maxLength: 30 }).filter((text) => text.trim() !== '');
const note = fc.option(fc.string({ maxLength: 60 }), { freq: 2 });
const makespanNs = fc.integer({ min: 1000, max: 1e9 });
const madeSweep: fc.Arbitrary<MadeSweep> = fc.integer({ min: 1, max: 5 }).chain((count) =>
  fc
    .record({
      name: words,
      engine,
      iterations: fc.option(fc.integer({ min: 1, max: 1000 })),
      description: fc.string({ maxLength: 60 }),
      points: fc.array(fc.option(fc.record({ run: fc.option(makespanNs), note })), {
        minLength: count,
        maxLength: count,
      }),
      order: fc.shuffledSubarray(
        Array.from({ length: count }, (_, point) => point),
        { minLength: count },
      ),
    })
    .map((made) => ({
      ...made,
      points: made.points.map((point) =>
        point === null
          ? null
          : { ...point, run: point.run === null ? null : { engine: made.engine, makespanNs: point.run } },
      ),
    })),
);
const madeLibrary: fc.Arbitrary<MadeLibrary> = fc.record({
  experiments: fc.array(words, { maxLength: 3 }),
  runs: fc.array(fc.record({ engine, makespanNs, title: fc.oneof(fc.constant(''), words), note, here: fc.boolean() }), {
    maxLength: 3,
  }),
  sweeps: fc.array(madeSweep, { maxLength: 3 }),
});

const document = (name: string, points: number, description = ''): SweepDocument => ({
  format: sweepFormat,
  version: 1,
  name,
  description,
  base: { template: 'chunked-pipeline', parameters: { bytes: '4 MiB' } },
  axes: [{ parameter: 'streams', values: Array.from({ length: points }, (_, point) => point + 1) }],
});

const run = ({ engine: kind, makespanNs: ns }: MadeRun): Run =>
  smallRun(example(), kind, {
    iterations: { recordedMakespanNs: [ns], recordedWallNs: [ns], plainWallNs: [], representative: 0 },
  });
const notesOf = (text: string) => runNotes([{ id: 'n', iteration: 0, startNs: 1, endNs: 2, row: null, text }]);

async function fillSweep(into: Library, made: MadeSweep): Promise<string> {
  const { id } = await into.sweeps.create({
    createdAt: '2026-11-20T09:00:00.000Z',
    engine: made.engine,
    profile: made.engine === 'sim' ? 'h200' : null,
    iterations: made.iterations,
    device: 'a device',
    points: made.points.length,
    sweep: document(made.name, made.points.length, made.description),
  });
  for (const point of made.order) {
    const what = made.points[point] ?? null;
    if (what === null) continue;
    if (what.run === null) {
      const error = { code: 'run.failed', message: `not point ${point}`, remedy: 'Try again.', op: 1 };
      await into.sweeps.addOutcome(id, { point, status: 'failed', error });
      continue;
    }
    const { info, trace } = run(what.run);
    await into.sweeps.addRun(id, point, encodeRun({ info, trace }));
    const done = { info, figures: runFigures({ info, trace }), madeHere: true };
    await into.sweeps.addOutcome(id, doneOutcome(id, point, done));
    if (what.note !== null) await into.notes.save(sweepRunId(id, point), notesOf(what.note));
  }
  return id;
}

async function fill(into: Library, made: MadeLibrary): Promise<LibraryItems> {
  const [experiments, runs, sweeps] = [[], [], []] as [string[], string[], string[]];
  for (const name of made.experiments) experiments.push(await into.experiments.save(null, { ...example(), name }));
  for (const { title, note: text, here, ...rest } of made.runs) {
    const { info, trace } = run(rest);
    const file = encodeRun({ info, trace });
    const { id } = here
      ? await into.runs.add(await into.runs.newId(new Date(0), 'run'), info, file)
      : await into.runs.keep('run', info, file);
    if (title !== '') await into.titles.set(id, title);
    if (text !== null) await into.notes.save(id, notesOf(text));
    runs.push(id);
  }
  for (const sweep of made.sweeps) sweeps.push(await fillSweep(into, sweep));
  return { experiments, runs, sweeps };
}

async function packed(from: Library, items: LibraryItems): Promise<Uint8Array> {
  const parts: Buffer[] = [];
  for await (const part of await from.bundles.write(items)) parts.push(part as Buffer);
  return new Uint8Array(Buffer.concat(parts));
}

async function imported(into: Library, bundle: Uint8Array) {
  const path = unusedName();
  writeFileSync(path, bundle);
  const made: Imported = await into.imports.file(path);
  if (made.kind !== 'bundle') throw new Error(made.kind);
  return made;
}

/** All that a library knows of these things, in their order, without the ids of runs, which change. */
async function contents(of: Library, { experiments, runs, sweeps }: LibraryItems) {
  const titles = await of.titles.all();
  const runFile = async (id: string) => ({
    file: await readRunFile(await of.runs.file(id)),
    title: titles.get(id),
    notes: (await of.notes.read(id)).notes,
  });
  const sweep = async (id: string) => {
    const kept = await of.sweeps.read(id);
    const points = kept.outcomes.map(({ point, status }) => (status === 'done' ? sweepRunId(id, point) : null));
    return {
      kept,
      runs: await Promise.all(
        points.map(async (point) =>
          point === null
            ? null
            : {
                file: await readRunFile(await of.sweeps.runFile(point)),
                notes: (await of.notes.read(point)).notes as readonly RunNote[],
              },
        ),
      ),
    };
  };
  return {
    experiments: await Promise.all(experiments.map((id) => of.experiments.read(id))),
    runs: await Promise.all(runs.map(runFile)),
    sweeps: await Promise.all(sweeps.map(sweep)),
  };
}

/** What was measured elsewhere is recorded; what was simulated stays so. */
const fromElsewhere = (kept: KeptSweep): KeptSweep => ({
  ...kept,
  imported: true,
  outcomes: kept.outcomes.map((outcome) =>
    outcome.status === 'failed' || outcome.run.origin === 'simulated'
      ? outcome
      : { ...outcome, run: { ...outcome.run, origin: 'recorded' } },
  ),
});

describe('a library in a bundle', () => {
  it('comes in elsewhere as it went out, whatever is in it, and goes out again the same', async () => {
    await fc.assert(
      fc.asyncProperty(madeLibrary, async (made) => {
        const [here, there, third] = [library(), library(), library()];
        const items = await fill(here, made);
        const before = await contents(here, items);
        const { items: arrived, problem } = await imported(there, await packed(here, items));
        expect(problem).toBeUndefined();
        const after = await contents(there, arrived);
        expect(after).toEqual({
          ...before,
          sweeps: before.sweeps.map(({ kept, runs }) => ({ kept: fromElsewhere(kept), runs })),
        });
        const { items: again } = await imported(third, await packed(there, arrived));
        expect(await contents(third, again)).toEqual(after);
      }),
      { numRuns: runs(10) },
    );
  });

  it('is kept beside what is there: a sweep that is there already comes in under another id, with its runs', async () => {
    const here = library();
    const id = await fillSweep(here, two);
    const { items } = await imported(here, await packed(here, libraryItems({ sweeps: [id] })));
    expect(items.sweeps).toEqual([`${id}-2`]);
    const { outcomes } = await here.sweeps.read(`${id}-2`);
    expect(outcomes[0]).toMatchObject({ run: { id: `sweep/${id}-2/0`, sweep: `${id}-2`, origin: 'recorded' } });
    expect(await here.sweeps.list(new Set())).toMatchObject([{ origin: 'measured' }, { origin: 'recorded' }]);
    expect((await here.notes.read(`sweep/${id}-2/0`)).notes).toHaveLength(1);
  });
});

/** A point that was done, and one that failed. */
const two: MadeSweep = {
  name: 'Mine',
  engine: 'cpu',
  iterations: null,
  description: '',
  points: [
    { run: { engine: 'cpu', makespanNs: 5000 }, note: 'here' },
    { run: null, note: null },
  ],
  order: [0, 1],
};

type Files = Record<string, string | Uint8Array>;

/** An experiment, a run and two sweeps in a bundle; gives its files and the id of the first sweep. */
async function bundled() {
  const here = library();
  const items = await fill(here, {
    experiments: ['one'],
    runs: [{ engine: 'cpu', makespanNs: 1000, title: '', note: null, here: true }],
    sweeps: [two, { ...two, name: 'Other' }],
  });
  const files: Files = await filesOf(unusedName(), await packed(here, items));
  return { files, id: items.sweeps[0] ?? '' };
}

const inOrder = (files: Files): string[] => [
  'manifest.json',
  ...Object.keys(files).filter((path) => path !== 'manifest.json'),
];
const pack = (files: Files): Promise<Uint8Array> => archiveOf(unusedName(), { files, order: inOrder(files) });
const text = (files: Files, path: string): string => Buffer.from(files[path] ?? '').toString('utf8');

const kept = (of: string): string[] =>
  existsSync(of)
    ? readdirSync(of, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => entry.name)
    : [];

/** Changes the text of one of its files. */
const edited = (name: (id: string) => string, change: (text: string) => string) => (files: Files, id: string) => {
  const path = name(id);
  files[path] = change(text(files, path));
  return path;
};
const whatIsRun = (id: string): string => `sweeps/${id}.json`;
const points = (id: string): string => `sweeps/${id}.jsonl`;
const without = (path: string) => (files: Files, id: string) => {
  const name = path.replace('ID', id);
  delete files[name];
  return name;
};

const damages: readonly (readonly [what: string, damage: (files: Files, id: string) => string])[] = [
  ['whose document breaks off', edited(whatIsRun, (json) => json.slice(0, 80))],
  ['of a later version', edited(whatIsRun, (json) => json.replace('"version": 1', '"version": 9'))],
  ['that can’t be run', edited(whatIsRun, (json) => json.replace('"streams"', '"strems"'))],
  ['that counts its points wrong', edited(whatIsRun, (json) => json.replace('"points": 2', '"points": 7'))],
  [
    'with more iterations than are run',
    edited(whatIsRun, (json) => json.replace('"iterations": null', '"iterations": 1e9')),
  ],
  ['with a line that breaks off', edited(points, (lines) => lines.slice(0, -20))],
  ['with a point twice', edited(points, (lines) => `${lines}\n${lines.split('\n').at(-1)}`)],
  ['with a point that it has not', edited(points, (lines) => lines.replace('"point":1', '"point":2'))],
  ['without a point that was done', edited(points, (lines) => `\n${lines.split('\n').at(-1)}`)],
  [
    'whose run is none',
    (files, id) => {
      files[`runs/sweep/${id}/0.arrow`] = new Uint8Array(5000);
      return `runs/sweep/${id}/0.arrow`;
    },
  ],
  [
    'whose notes are none',
    edited(
      (id) => `notes/sweep/${id}/0.json`,
      () => '[]',
    ),
  ],
  ['without its document', without('sweeps/ID.json')],
  ['without its points', without('sweeps/ID.jsonl')],
  ['without a run', without('runs/sweep/ID/0.arrow')],
];

describe('a sweep in a bundle', () => {
  it.each(damages)('%s is left out and named, and the rest is imported', async (_what, damage) => {
    const { files, id } = await bundled();
    const path = damage(files, id);
    const there = library();
    const { items, problem } = await imported(there, await pack(files));
    expect(items).toMatchObject({
      experiments: ['one'],
      runs: [expect.any(String)],
      sweeps: [id.replace('mine', 'other')],
    });
    expect(await there.sweeps.list(new Set())).toMatchObject([
      { name: 'Other', status: 'complete', done: 1, failed: 1 },
    ]);
    expect(problem).toMatchObject({ code: 'bundle.in-part', field: expect.stringContaining(path) });
    expect(problem?.message).toContain('“Mine”');
    expect(problem?.message).toContain(path);
    expect(problem?.remedy).toMatch(/^All else/);
  });

  it('holds figures of its runs, and not those that are written beside them', async () => {
    const { files, id } = await bundled();
    const [first, ...rest] = text(files, points(id)).trim().split('\n');
    const outcome = JSON.parse(first ?? '');
    outcome.figures.makespan = { median: 1, min: 1, max: 1, count: 1 };
    files[points(id)] = [JSON.stringify(outcome), ...rest].join('\n');
    const there = library();
    await imported(there, await pack(files));
    const [read] = (await there.sweeps.read(id)).outcomes;
    expect(read).toMatchObject({ figures: { makespan: { median: 386_000 } } });
  });

  it.each([
    [
      'a run that no point names',
      (files: Files, id: string) => void Object.assign(files, { [`runs/sweep/${id}/1.arrow`]: 'x' }),
    ],
    [
      'a point among the runs',
      (files: Files, id: string) => {
        const manifest = JSON.parse(text(files, 'manifest.json'));
        manifest.runs.push({ id: `sweep/${id}/0`, name: 'x', notes: false });
        files['manifest.json'] = JSON.stringify(manifest);
      },
    ],
    [
      'notes on a run that it has not',
      (files: Files) => {
        const manifest = JSON.parse(text(files, 'manifest.json'));
        manifest.sweeps[0].notes.push(1);
        files['manifest.json'] = JSON.stringify(manifest);
      },
    ],
    [
      'an id that leaves its folder',
      (files: Files) => {
        const manifest = JSON.parse(text(files, 'manifest.json'));
        manifest.sweeps[0].id = '../runs';
        files['manifest.json'] = JSON.stringify(manifest);
      },
    ],
  ])('in a bundle with %s costs the whole bundle', async (_what, change) => {
    const { files, id } = await bundled();
    change(files, id);
    const dataFolder = unusedName();
    await expect(imported(library(dataFolder), await pack(files))).rejects.toBeInstanceOf(CopyscopeError);
    expect(kept(dataFolder)).toEqual([]);
  });

  it('is taken back with all else where the disk fails half-way', async () => {
    const { files } = await bundled();
    const dataFolder = unusedName();
    const there = library(dataFolder);
    // Runs can be written, and sweeps can't.
    await there.experiments.save(null, example());
    writeFileSync(join(dataFolder, 'sweeps'), 'a file where the folder should be');
    await expect(imported(there, await pack(files))).rejects.toMatchObject({ code: 'file.failed' });
    expect(kept(dataFolder).sort()).toEqual(['pinned-source-second-stream.json', 'sweeps']);
  });

  it('goes out and in by the command line, which says what it left out', async () => {
    const dataFolder = unusedName();
    const id = await fillSweep(library(dataFolder), two);
    const bundle = `${unusedName()}.copyscope`;
    const cli = (data: string, ...args: string[]) =>
      copyscope(['bundle', ...args], '', { context: { environment: { COPYSCOPE_DATA: data } } });
    const out = await cli(dataFolder, 'export', bundle, '--sweep', id);
    expect(out).toMatchObject({ exitCode: 0, out: expect.stringContaining(`  sweep ${id}`) });
    const there = await cli(unusedName(), 'import', bundle, '--json');
    expect(JSON.parse(there.out)).toEqual({ experiments: [], runs: [], sweeps: [id] });

    const { files, id: damagedId } = await bundled();
    without('sweeps/ID.jsonl')(files, damagedId);
    const cut = `${unusedName()}.copyscope`;
    writeFileSync(cut, await pack(files));
    const { exitCode, out: printed, err } = await cli(unusedName(), 'import', cut);
    expect(exitCode).toBe(2);
    expect(printed).toContain('1 experiments, 1 runs, 1 sweeps');
    expect(err).toContain(`sweeps/${damagedId}.jsonl is missing`);

    const whole = readFileSync(bundle);
    writeFileSync(cut, whole.subarray(0, whole.length / 2));
    expect(await cli(unusedName(), 'import', cut)).toMatchObject({ exitCode: 2, out: '' });
    expect(await cli(dataFolder, 'export', unusedName(), '--sweep', 'none')).toMatchObject({ exitCode: 2, out: '' });
    expect(await cli(dataFolder, 'export', unusedName(), '--run', 'none')).toMatchObject({ exitCode: 2, out: '' });
    expect(await cli(unusedName(), 'export', unusedName())).toMatchObject({ exitCode: 2, out: '' });
  });
});
