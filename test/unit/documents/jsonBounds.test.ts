/** Sizes of JSON texts are limited before parsing. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseJson } from '../../../core/shape/parseJson.ts';

const listOf = (count: number, entry: string): string => `[${`${entry},`.repeat(count - 1)}${entry}]`;

describe('a JSON text', () => {
  afterEach(() => vi.restoreAllMocks());

  it.each([
    ['five million numbers', () => listOf(5_000_000, '1'), /more than 4000000 values/],
    ['three million empty lists', () => listOf(3_000_000, '[]'), /more than 4000000 values/],
    ['two million objects of one field', () => listOf(2_000_000, '{"a":1}'), /more than 4000000 values/],
    ['a million lists in one another', () => '['.repeat(1_000_000), /deeper than 200 levels/],
    ['objects and lists in one another', () => '{"a":['.repeat(101), /deeper than 200 levels/],
  ])('is refused before it is parsed if it holds %s', (_what, make, message) => {
    const parse = vi.spyOn(JSON, 'parse');
    expect(parseJson(make())).toMatchObject({ ok: false, message: expect.stringMatching(message) });
    expect(parse).not.toHaveBeenCalled();
  });

  it('is read if it nests 200 levels, or its signs stand in texts', () => {
    const deep = '['.repeat(200) + ']'.repeat(200);
    expect(parseJson(deep)).toMatchObject({ ok: true });
    const signs = JSON.stringify({ text: `\\"${'[{:,'.repeat(1_500_000)}` });
    expect(parseJson(signs)).toMatchObject({ ok: true });
  });
});
