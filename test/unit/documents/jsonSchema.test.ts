/** The JSON Schemas in ajv, which is independent of zod: the same results as our own readers for shapes. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { parseGateRules } from '../../../core/apps/gate/parse.ts';
import { type DocumentKind, documentKinds, documentSchema, type JsonSchema } from '../../../core/apps/jsonSchema.ts';
import { sweepSchema } from '../../../core/apps/sweep/document.ts';
import { parseSweep } from '../../../core/apps/sweep/parse.ts';
import { CopyscopeError } from '../../../core/errors.ts';
import { experimentSchema } from '../../../core/experiment/experiment.ts';
import { withOperationIds } from '../../../core/experiment/operationIds.ts';
import { requireExperiment } from '../../../core/experiment/parse.ts';
import { templates } from '../../../core/experiment/templates/templates.ts';
import { profileSchema } from '../../../core/machine/profile/schema.ts';
import { checkShape } from '../../../core/shape/checkShape.ts';
import { Random } from '../support/random.ts';

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

/** Problems that a schema can't express: zod's own refinements, which compare several values. */
const onlyOurs = new Set(['must ascend', 'must not take less time', 'is behind to']);

type Verdict = 'valid' | 'invalid' | 'valid but for an order';

const isOrder = (message: string): boolean => [...onlyOurs].some((text) => message.includes(text));

/** Checks the shape after operations without an id got one. */
const experimentShape = (document: unknown) =>
  checkShape(experimentSchema, withOperationIds({ ...(document as Record<string, unknown>) }));

function ownVerdict(kind: DocumentKind, document: unknown): Verdict {
  if (kind === 'gate-rules') return verdictOnRules(document);
  const shape =
    kind === 'experiment'
      ? experimentShape(document)
      : kind === 'profile'
        ? checkShape(profileSchema, document)
        : checkShape(sweepSchema, document);
  if (!shape.ok) {
    return shape.problems.every(({ message }) => isOrder(message)) ? 'valid but for an order' : 'invalid';
  }
  return kind === 'sweep' && !isWholeSweep(document) ? 'invalid' : 'valid';
}

/** Uses the reader itself: apart from the order of steps it refuses only a wrong amount. */
function verdictOnRules(document: unknown): Verdict {
  try {
    parseGateRules(JSON.stringify(document));
    return 'valid';
  } catch (error) {
    if (!(error instanceof CopyscopeError)) throw error;
    return isOrder(error.message) ? 'valid but for an order' : 'invalid';
  }
}

/** Checks the parts of a sweep that parse.ts checks after its shape, if a schema can express them. */
function isWholeSweep(document: unknown): boolean {
  const { base, axes } = document as {
    base: { experiment?: unknown; template?: unknown };
    axes: Record<string, unknown>[];
  };
  const has = (one: object, name: string): boolean => Object.hasOwn(one, name);
  if (has(base, 'template') === has(base, 'experiment')) return false;
  if (has(base, 'experiment') && !experimentShape(base.experiment).ok) return false;
  return axes.every((axis) => {
    const range = ['from', 'to', 'points'].filter((name) => has(axis, name)).length;
    const listed = has(axis, 'values') ? range === 0 : range === 3;
    return listed && has(axis, 'parameter') !== has(axis, 'fields');
  });
}

const junk = [
  ...[null, -1, 0, 1.5, 1e30, '', 'nothing known', true, [], {}, ['x'], { x: 1 }, 'default', 64],
  ...['7', '1.5', '1,000', '2 ms', '3 TiB', '1.2.3 MiB', '40 s', '20 %', '120 %', '-1 KiB', '5 parsecs'],
];

/** Returns a copy of the document with one random change. */
function damaged(document: unknown, random: Random): unknown {
  const copy = structuredClone(document);
  const places: { readonly holder: Record<string, unknown>; readonly name: string }[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      places.push({ holder: value as Record<string, unknown>, name });
      walk(inner);
    }
  };
  walk(copy);
  const { holder, name } = random.pick(places);
  const change = random.below(5);
  if (change === 0 && !Array.isArray(holder)) delete holder[name];
  else if (change === 1 && !Array.isArray(holder)) holder['unheard-of'] = 1;
  else if (change === 2 && typeof holder[name] === 'number') holder[name] = -(holder[name] as number);
  else if (change === 3 && Array.isArray(holder)) holder.push(random.pick(junk));
  else holder[name] = random.pick(junk);
  return copy;
}

describe.each(documentKinds)('a damaged %s', (kind) => {
  it('is judged as our own reader judges its shape', () => {
    const random = new Random(20_261_125);
    const all = shipped.filter(([one, , document]) => one === kind && JSON.stringify(document).length < 20_000);
    const verdicts = { valid: 0, invalid: 0, 'valid but for an order': 0 };
    for (let count = 0; count < 1000; count += 1) {
      const document = damaged(random.pick(all)[2], random);
      const own = ownVerdict(kind, document);
      verdicts[own] += 1;
      const isValid = validators[kind](document);
      if (isValid !== (own !== 'invalid')) {
        expect.fail(`${own}, and ajv says ${ajv.errorsText(validators[kind].errors)}:\n${JSON.stringify(document)}`);
      }
    }
    expect(verdicts.invalid).toBeGreaterThan(400);
    expect(verdicts.valid).toBeGreaterThan(10);
  });
});

it('$schema is taken in each, and kept', () => {
  const address = './experiment.schema.json';
  const experiment = requireExperiment({ $schema: address, ...(example as object) });
  expect(experiment.$schema).toBe(address);
  const sweep = { $schema: address, ...(sweeps[0] as object) };
  expect(parseSweep(sweep).ok).toBe(true);
  for (const [kind, document] of [
    ['experiment', experiment],
    ['sweep', sweep],
    ['gate-rules', { $schema: address, ...(rules[0] as object) }],
    ['profile', { $schema: address, ...(readJson('assets/profiles/h200.json') as object) }],
  ] as const) {
    expect(ownVerdict(kind, document)).toBe('valid');
    expect(validators[kind](document)).toBe(true);
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
