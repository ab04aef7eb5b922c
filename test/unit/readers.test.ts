/** Whatever lies in a file or a message, its reader says which field is wrong: no reader ends with a validator's error. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireBench } from '../../core/bench/parse.ts';
import { CopyscopeError } from '../../core/errors.ts';
import { requireExperiment } from '../../core/experiment/parse.ts';
import { requireFigure } from '../../core/lessons/figure.ts';
import { requireLesson } from '../../core/lessons/parse.ts';
import { parseProfile } from '../../core/profile/profile.ts';
import { requireArguments } from '../../core/service/requests.ts';
import { requireSweep } from '../../core/sweep/parse.ts';
import { decodeMetadata, encodeMetadata, metadataKeys } from '../../core/trace/arrow/metadata.ts';
import { parseRunNotes } from '../../core/trace/notes.ts';
import { parseManifest } from '../../host/service/bundle/manifest.ts';
import { readKept } from '../../host/service/keptSweep.ts';
import { lanes, runInfo } from './trace/fixtures.ts';

const asset = (path: string): string => readFileSync(join(import.meta.dirname, '../../assets', path), 'utf8');

const createdAt = '2026-11-20T08:00:00.000Z';
const sweep = {
  format: 'copyscope/sweep',
  version: 1,
  name: 'Chunks',
  base: { template: 'chunked-pipeline', parameters: { streams: 2 } },
  axes: [{ parameter: 'chunkBytes', values: ['1 MiB', 2097152], label: 'chunk' }],
};
const note = { id: 'a', iteration: 0, startNs: 1, endNs: 2, row: null, text: 'here' };
const notes = { format: 'copyscope/notes', version: 1, notes: [note] };
const figure = { name: 'bandwidth', unit: 'B/s', median: 5, least: 4, most: 6, samples: [4, 5, 6] };
const benchRow = { section: 'copies', row: '4 KiB', column: 'H2D pinned', status: 'done', figures: [figure], bytes: 1 };
const front = {
  format: 'copyscope/lesson',
  version: 1,
  title: 'T',
  summary: 'S',
  group: 'G',
  minutes: 4,
  source: ['s'],
};
const check = { says: 's', measure: 'makespan', atMost: '40 us' };
const run = encodeMetadata({ info: runInfo(), lanes: Object.values(lanes) });

interface Reader {
  readonly document: unknown;
  readonly read: (document: unknown) => unknown;
}

const onText = (read: (text: string) => unknown) => (document: unknown) => read(JSON.stringify(document));

const readers: Readonly<Record<string, Reader>> = {
  experiment: { document: JSON.parse(asset('examples/overlap/pinned-side-stream.json')), read: requireExperiment },
  'text of an experiment': {
    document: JSON.parse(asset('examples/overlap/pinned-side-stream.json')),
    read: onText(requireExperiment),
  },
  profile: { document: JSON.parse(asset('profiles/h200.json')), read: parseProfile },
  sweep: { document: sweep, read: requireSweep },
  'text of a sweep': { document: sweep, read: onText(requireSweep) },
  benchmark: {
    document: {
      format: 'copyscope/bench',
      version: 1,
      createdAt,
      device: { name: 'NVIDIA H200', linkGeneration: 5, linkWidth: 16 },
      rows: [benchRow],
    },
    read: onText(requireBench),
  },
  notes: { document: notes, read: onText(parseRunNotes) },
  'manifest of a bundle': {
    document: {
      format: 'copyscope/bundle',
      version: 2,
      createdAt,
      program: 'test',
      experiments: [{ id: 'mine', name: 'Mine' }],
      runs: [{ id: 'imported/a', name: 'a', title: 'b', notes: true }],
      sweeps: [{ id: 's', name: 's', runs: [0], notes: [0] }],
    },
    read: onText(parseManifest),
  },
  'kept sweep': {
    document: {
      format: 'copyscope/kept-sweep',
      version: 1,
      createdAt,
      engine: 'sim',
      profile: 'h200',
      iterations: 3,
      device: 'h200',
      points: 2,
      imported: false,
      sweep,
    },
    read: onText((text) => readKept('s', text, '')),
  },
  'description of a run': {
    document: JSON.parse(run.get(metadataKeys.run) ?? ''),
    read: onText((text) => decodeMetadata(new Map([...run, [metadataKeys.run, text]]))),
  },
  figure: { document: JSON.parse(asset('lessons/figures/one-tensor.json')), read: requireFigure },
  lesson: {
    document: {
      ...front,
      experiments: { start: { example: 'overlap/pinned-side-stream' } },
      steps: [{ title: 'A', experiment: 'start', task: { do: 'd', checks: [check], hints: ['h'] } }],
    },
    // JSON is YAML.
    read: (document) => requireLesson('test', `---\n${JSON.stringify(document, null, 1)}\n---\n## A\nText.\n`),
  },
  'request to start a run': {
    document: [{ experiment: {}, engine: 'sim', profile: 'h200', iterations: 3, whileRecording: false }],
    read: (args) => requireArguments('startRun', args),
  },
  'request to rename a run': { document: ['imported/a', 'b'], read: (args) => requireArguments('renameRun', args) },
  'request to save notes': {
    document: ['run', { notes, base: notes, by: '00000000-0000-4000-8000-000000000000' }],
    read: (args) => requireArguments('saveNotes', args),
  },
  'request to pack a bundle': {
    document: [{ experiments: ['a'], runs: ['imported/a'], sweeps: [] }],
    read: (args) => requireArguments('packBundle', args),
  },
};

/** The first ended each reader with the validator's own TypeError. */
const hostile: Readonly<Record<string, unknown>> = {
  'an object as its length': { length: { valueOf: 0, toString: 0 } },
  'an object as its length, further in': { a: [{ length: { valueOf: 0, toString: 0 } }] },
  'a list of wrong entries': Array(2000).fill(true),
  'a field that would be a prototype': JSON.parse('{"__proto__": {"length": {}}}'),
  'what nothing is': null,
};

describe.each(Object.entries(readers))('the reader of a %s', (_, { document, read }) => {
  it('reads what is right', () => {
    expect(refusal(read, document)).toBeNull();
  });

  it.each(Object.entries(hostile))('names the field that holds %s', (_name, value) => {
    for (const path of placesIn(document)) {
      const refused = refusal(read, changed(document, path, value));
      if (refused === null) continue;
      const where = JSON.stringify(path);
      expect(refused, where).toBeInstanceOf(CopyscopeError);
      const { field, message, remedy } = refused as CopyscopeError;
      expect(field, where).toBeTruthy();
      expect(remedy, where).toBeTruthy();
      expect(message, where).not.toMatch(/primitive|call stack|undefined|not valid JSON|Invalid/);
    }
  });
});

it.each([
  ['profile', ['name'], 'name', 'an object is not a text'],
  ['profile', ['parameters', 'copies.h2d.pinned'], 'parameters.copies.h2d.pinned', 'an object is not a list'],
  ['experiment', ['name'], 'name', 'an object is not a text'],
  ['experiment', ['threads', '0', 'operations'], 'threads[0].operations', 'an object is not a list'],
  ['text of a sweep', ['axes', '0', 'label'], 'axes[0].label', 'an object is not a text'],
  ['benchmark', ['rows', '0', 'column'], 'rows[0].column', 'an object is not a text'],
  ['notes', ['notes', '0', 'text'], 'notes[0].text', 'an object is not a text'],
  ['manifest of a bundle', ['runs', '0', 'title'], 'manifest.json: runs[0].title', 'an object is not a text'],
  ['kept sweep', ['device'], 'device', 'an object is not a text'],
  ['description of a run', ['notes'], 'copyscope.notes', 'an object is not a list'],
  ['request to rename a run', ['1'], 'renameRun[1]', 'an object is not a text'],
] as const)('of a %s with an object as a length at %j the field %s is told', (name, path, field, message) => {
  const { document, read } = readers[name] as Reader;
  const refused = refusal(read, changed(document, path, hostile['an object as its length']));
  expect(refused).toMatchObject({ field, message: expect.stringContaining(message) });
});

it('of more problems than one call takes the first are told', () => {
  const { document, read } = readers['figure'] as Reader;
  const refused = refusal(read, changed(document, ['series', '0', 'values'], Array(190_000).fill('x')));
  expect(refused).toMatchObject({ field: 'series[0].values[0]', message: '"x" is not a number.' });
});

it('none asks a schema by itself', () => {
  const root = join(import.meta.dirname, '../..');
  const sources = ['core', 'host', 'electron', 'renderer'].flatMap((layer) =>
    readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' }).map((name) => join(layer, name)),
  );
  const asking = sources.filter(
    (path) => /\.tsx?$/.test(path) && readFileSync(join(root, path), 'utf8').includes('.safeParse('),
  );
  expect(asking).toEqual([join('core', 'shape', 'checkShape.ts')]);
});

function refusal(read: Reader['read'], document: unknown): unknown {
  try {
    read(document);
    return null;
  } catch (thrown) {
    return thrown;
  }
}

/** One of each kind: the first entry stands for its list. */
function placesIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside = Array.isArray(value) ? Object.entries(value).slice(0, 1) : Object.entries(value);
  return [...(path.length === 0 ? [] : [path]), ...inside.flatMap(([key, part]) => placesIn(part, [...path, key]))];
}

function changed(document: unknown, path: readonly string[], value: unknown): unknown {
  const copy = structuredClone(document);
  const owner = path.slice(0, -1).reduce((part, key) => (part as Record<string, unknown>)[key], copy);
  (owner as Record<string, unknown>)[path.at(-1) ?? ''] = value;
  return copy;
}
