import { describe, expect, it } from 'vitest';
import { CopyscopeError } from '../../core/errors.ts';
import { type Reader, readers } from './support/readers.ts';

/** The first of these ended each reader with the validator's own TypeError. */
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
  ['experiment', ['threads', '0', 'operations'], 'threads[0].operations', 'an object is not a list'],
  ['manifest of a bundle', ['runs', '0', 'title'], 'manifest.json: runs[0].title', 'an object is not a text'],
  ['description of a run', ['notes'], 'copyscope.notes', 'an object is not a list'],
  ['request to rename a run', ['1'], 'renameRun[1]', 'an object is not a text'],
] as const)('the error for a %s with an object as a length at %j names the field %s', (name, path, field, message) => {
  const { document, read } = readers[name] as Reader;
  const refused = refusal(read, changed(document, path, hostile['an object as its length']));
  expect(refused).toMatchObject({ field, message: expect.stringContaining(message) });
});

function refusal(read: Reader['read'], document: unknown): unknown {
  try {
    read(document);
    return null;
  } catch (thrown) {
    return thrown;
  }
}

/** Returns one place of each kind: the first entry of a list represents the rest. */
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
