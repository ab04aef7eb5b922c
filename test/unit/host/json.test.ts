import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonPieces } from '../../../host/cli/json.ts';
import { runs } from '../../support/effort.ts';

describe('JSON in pieces', () => {
  it('is what JSON.stringify gives, for any object', () => {
    fc.assert(
      fc.property(fc.object({ withNullPrototype: false }), (value) => {
        expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value, null, 2));
      }),
      { numRuns: runs(1000) },
    );
  });

  it('writes long lists in several pieces', () => {
    const value = { list: Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'line\nbreak' })), last: 1 };
    const pieces = [...jsonPieces(value)];
    expect(pieces.length).toBeGreaterThan(5);
    expect(pieces.join('')).toBe(JSON.stringify(value, null, 2));
  });
});
