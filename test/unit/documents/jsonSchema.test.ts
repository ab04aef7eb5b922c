/** The JSON Schemas in ajv, which is independent of zod, take the documents that our readers take. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { parseGateRules } from '../../../core/apps/gate/parse.ts';
import { type DocumentKind, documentKinds, documentSchema, type JsonSchema } from '../../../core/apps/jsonSchema.ts';
import { requireSweep } from '../../../core/apps/sweep/parse.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { parseProfile } from '../../../core/machine/profile/profile.ts';

const root = join(import.meta.dirname, '../../..');
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const filesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.json'))
    .map((name) => `${folder}/${name}`);

const ajv = new Ajv2020({ strict: false });
const validators = Object.fromEntries(documentKinds.map((kind) => [kind, ajv.compile(documentSchema(kind))])) as Record<
  DocumentKind,
  ReturnType<typeof ajv.compile>
>;

/** Returns the documents in a page. */
function documented(page: string, kind: DocumentKind): unknown[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/```json\n(\{[^`]*)```/g);
  return [...blocks]
    .filter(([, text]) => text?.includes(`"copyscope/${kind}"`))
    .map(([, text]) => JSON.parse(text ?? '') as unknown);
}

const rules = documented('docs/guide/gate.md', 'gate-rules');
const sweeps = documented('docs/guide/compare-and-sweep.md', 'sweep');
const example = readJson('assets/examples/overlap/pinned-side-stream.json');
const shipped: readonly (readonly [DocumentKind, string, unknown])[] = [
  ...filesIn('assets/examples').map((path) => ['experiment', path, readJson(path)] as const),
  ...templates.map((template) => ['experiment', `template ${template.id}`, template.build()] as const),
  ...filesIn('assets/profiles').map((path) => ['profile', path, readJson(path)] as const),
  ...sweeps.map((sweep, index) => ['sweep', `docs/guide/compare-and-sweep.md, ${index}`, sweep] as const),
  ...rules.map((document, index) => ['gate-rules', `docs/guide/gate.md, ${index}`, document] as const),
  [
    'gate-rules',
    'of every kind of amount',
    {
      format: 'copyscope/gate-rules',
      version: 1,
      limits: { pageableCopies: '3', pageableBytes: '1,5e3 kB', hostHeldNs: '1.5 µs', stepNs: 2e6, idleShare: 0.25 },
      ignoreCopiesBelow: '64 B',
      steps: { from: 2, to: 5 },
      allow: [{ operation: 'threads[0].operations[2]', reason: 'It is small.' }],
    },
  ],
  ['experiment', 'docs/guide/experiments.md', documented('docs/guide/experiments.md', 'experiment')[0]],
  [
    'sweep',
    'over fields of an experiment',
    {
      format: 'copyscope/sweep',
      version: 1,
      name: 'Sizes',
      base: { experiment: example },
      axes: [{ fields: ['buffers[0].bytes', 'buffers[1].bytes'], values: ['1 MiB', 2_000_000] }],
    },
  ],
];

it.each(shipped)('%s: %s is valid', (kind, _, document) => {
  validators[kind](document);
  expect(validators[kind].errors).toBeNull();
});

it('the documented experiment is one, references and all', () => {
  expect(requireExperiment(documented('docs/guide/experiments.md', 'experiment')[0]).threads).toHaveLength(1);
});

it('$schema is taken in each, and kept', () => {
  const address = './experiment.schema.json';
  const experiment = requireExperiment({ $schema: address, ...(example as object) });
  expect(experiment.$schema).toBe(address);
  for (const [kind, document, read] of [
    ['experiment', experiment, requireExperiment],
    ['sweep', sweeps[0], requireSweep],
    ['gate-rules', rules[0], (one: unknown) => parseGateRules(JSON.stringify(one))],
    ['profile', readJson('assets/profiles/h200.json'), parseProfile],
  ] as const) {
    const named = { ...(document as object), $schema: address };
    expect(() => read(named)).not.toThrow();
    expect(validators[kind](named)).toBe(true);
  }
});

it.each(documentKinds)('every field of a %s is described', (kind) => {
  const missing: string[] = [];
  const walk = (schema: JsonSchema, path: string): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      if ((property.description ?? '') === '') missing.push(`${path}.${name}`);
      walk(property, `${path}.${name}`);
    }
    if (typeof schema.items === 'object') walk(schema.items, `${path}[]`);
    for (const part of [...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
      walk(part, `${path}<${String(part.properties?.['op']?.const ?? part.properties?.['kind']?.const ?? '')}>`);
    }
    for (const [name, part] of Object.entries(schema.$defs ?? {})) walk(part, `$defs.${name}`);
  };
  walk(documentSchema(kind), kind);
  expect(missing).toEqual([]);
});

it.each(documentKinds)('the %s schema that ships is the one that is made', (kind) => {
  // npm run -s copyscope -- schema KIND > assets/schemas/KIND.schema.json, then npx biome format --write assets/schemas
  expect(readJson(`assets/schemas/${kind}.schema.json`)).toEqual(JSON.parse(JSON.stringify(documentSchema(kind))));
});
