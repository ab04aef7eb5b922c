import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseExperiment, parseExperimentText, requireExperiment } from '../../../core/experiment/parse.ts';
import { runs } from '../../support/effort.ts';

const document = {
  format: 'copyscope/experiment',
  version: 1,
  name: 'valid',
  buffers: [
    { id: 'source', memory: 'pinned', bytes: 64 },
    { id: 'target', memory: 'device', bytes: 32 },
  ],
  streams: [{ id: 'side' }],
  events: [{ id: 'done' }],
  threads: [{ id: 'main', operations: [{ op: 'copy', src: 'source', dst: 'target' }] }],
};

const withOperation = (operation: unknown): unknown => ({
  ...document,
  threads: [{ id: 'main', operations: [operation] }],
});
const withBuffer = (buffer: unknown): unknown => ({
  ...document,
  buffers: [buffer],
  threads: [{ id: 'main', operations: [] }],
});

/** Returns all problems as 'field: message remedy'; throws if one lacks a part. */
function problems(json: unknown): string[] {
  const parsed = typeof json === 'string' ? parseExperimentText(json) : parseExperiment(json);
  if (parsed.ok) return [];
  expect(parsed.problems.length).toBeGreaterThan(0);
  return parsed.problems.map(({ code, field, message, remedy }) => {
    expect(code).toBe('experiment.invalid');
    for (const part of [field, message, remedy]) expect(part).toMatch(/\S/);
    return `${field}: ${message} ${remedy}`;
  });
}

const at = 'threads[0].operations[0]';

describe('a document', () => {
  it('may leave out whatever has a default', () => {
    const { environment, devices, streams, threads } = requireExperiment(document);
    expect(environment).toMatchObject({ defaultStream: 'legacy', iterations: 5, warmups: 2 });
    expect(devices).toEqual([{ id: 'gpu', index: 0 }]);
    expect(streams).toEqual([{ id: 'side', flags: 'non-blocking', priority: 0 }]);
    expect(threads[0]?.operations[0]).toMatchObject({ stream: 'default', mode: 'async', srcOffset: 0 });
  });

  it('opens without the relays that older versions had', () => {
    const copy = { op: 'multiCopy', payload: { tensors: 2, bytes: 8 }, strategy: 'pipelined', stream: 'side' };
    const relayed = { ...copy, relay: ['gpu'], options: { threads: 2, relayBytes: 2 ** 20 } };
    const opened = requireExperiment(withOperation({ op: 'repeat', count: 2, operations: [relayed] }));
    const plain = { ...copy, options: { threads: 2 } };
    expect(opened).toEqual(requireExperiment(withOperation({ op: 'repeat', count: 2, operations: [plain] })));
  });

  it.each<[string, unknown, string | RegExp]>([
    ['no JSON', '{"format": ', /^document: this is not valid JSON: .* Check for a truncated file/],
    ['nothing', ' \n', /^document: the file is empty\. Check that it is the file you mean/],
    ['no text', 'PNG\0\u0001', /^document: this is no text\. Check/],
    ['a list', [], /^document: an experiment is a JSON object, and this isn’t one\. Start with \{"format"/],
    ['without format', { version: 1 }, /^format: "format" is missing\. Open an experiment document/],
    ['of another format', { ...document, format: 'x' }, /^format: format is "x"\./],
    ['of a newer version', { ...document, version: 3 }, /^version: version 3 is newer than .* Update Copyscope\.$/],
    ['without name', { ...document, name: undefined }, 'name: "name" is missing. Add it: a text.'],
    ['with an empty name', { ...document, name: '' }, /^name: "" is not a text of at least 1 character\./],
    ['without threads', { ...document, threads: [] }, /^threads: an empty list is not a list of at least 1 item\./],
    [
      'with a field that there is not',
      { ...document, iterations: 5 },
      /^document: unknown field "iterations"\. Delete it/,
    ],
    [
      'with an operation that there is not',
      withOperation({ op: 'fly' }),
      /^threads\[0\]\.operations\[0\]\.op: "fly" is not one of "copy", "kernel", .*\. Use one of "copy", "kernel"/,
    ],
    ['with an operation without a kind', withOperation({}), /op: "op" is missing\. Add it: one of "copy", /],
    ['with no operation', withOperation(7), `${at}: 7 is not an object. Use an object.`],
    [
      'with a duration in words',
      withOperation({ op: 'work', durationNs: 'long' }),
      `${at}.durationNs: "long" is not a number. Use a number.`,
    ],
    [
      'with time that runs backwards',
      withOperation({ op: 'work', durationNs: -1 }),
      `${at}.durationNs: -1 is not a number of at least 0. Use a number of at least 0.`,
    ],
    ['with an id of two words', withBuffer({ id: 'a b', memory: 'device', bytes: 4 }), /^buffers\[0\]\.id: "a b" must/],
    ['with no size', withBuffer({ id: 'a', memory: 'device' }), /^buffers\[0\]: needs either "bytes", or "dtype" and/],
    [
      'with a stream that always exists',
      { ...document, streams: [{ id: 'legacy' }] },
      /^streams\[0\]\.id: must not be one of the streams that always exist/,
    ],
    [
      'nested without end',
      withOperation(Array.from({ length: 100 }).reduce((inside) => [inside], 1)),
      /^document: the document is nested deeper than 64 levels/,
    ],
  ])('%s is refused with field and remedy', (_, json, expected) => {
    const found = problems(json);
    const matches = (text: string): boolean => (typeof expected === 'string' ? text === expected : expected.test(text));
    expect(found.some(matches), found.join('\n')).toBe(true);
  });

  it('lists every problem, and throws them as one error', () => {
    const bad = { ...document, name: 5, version: 'one', streams: [{ id: 'side', flags: 'fast' }] };
    expect(problems(bad)).toHaveLength(3);
    expect(() => requireExperiment(bad)).toThrow(expect.objectContaining({ field: 'version' }));
  });

  it('that is too long is refused before it is read', () => {
    expect(problems(' '.repeat(64 * 1024 * 1024 + 1))[0]).toMatch(/^document: the document has 67108865 characters/);
  });

  it('a document with too many tensors is refused at the copy that exceeds the limit', () => {
    const copy = { op: 'multiCopy', payload: { tensors: 1_000_000, bytes: 4 } };
    const of = (count: number): unknown => ({
      ...document,
      threads: [{ id: 'main', operations: [{ op: 'range', name: 'all', operations: new Array(count).fill(copy) }] }],
    });
    expect(problems(of(10))).toEqual([]);
    expect(problems(of(12))).toEqual([
      expect.stringMatching(
        /^threads\[0\]\.operations\[0\]\.operations\[10\]\.payload\.tensors: .* have 11000000 tensors/,
      ),
    ]);
  });
});

describe('whatever comes', () => {
  it('any value gives an experiment or problems, never an exception', () => {
    const anything = fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true, withTypedArray: true });
    fc.assert(
      fc.property(anything, (value) => {
        problems(value);
        problems({ ...document, format: value });
        problems({ ...document, version: value });
        problems({ ...document, threads: value });
        problems(withOperation(value));
        problems(withBuffer(value));
      }),
      { numRuns: runs(500) },
    );
  });

  it.each([
    '{"__proto__":{"polluted":true}',
    '{"constructor":{"prototype":{"polluted":true}}',
    '{"environment":{"__proto__":{"polluted":true}}',
    '{"threads":[{"id":"main","operations":[{"op":"multiCopy","payload":{"tensors":1,"bytes":4},"options":{"__proto__":1}}]}]',
  ])('nothing is added to any prototype by %s', (start) => {
    problems(`${start},${JSON.stringify(document).slice(1)}`);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});
