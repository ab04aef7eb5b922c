import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineOfField, lineOfSyntaxError } from '../../../core/experiment/edit/jsonLines.ts';
import { bytesText, durationText, parseBytes, parseDuration } from '../../../core/experiment/edit/quantities.ts';
import { strategyB } from '../../../core/experiment/templates/strategies.ts';
import { fieldPath } from '../../../core/shape/path.ts';

describe('quantities', () => {
  it('read as people type them', () => {
    expect(['20 MiB', '20mib', '1.5 KiB', '4096', '1,024 B', '1 kB', '64 gb'].map(parseBytes)).toEqual([
      20_971_520, 20_971_520, 1536, 4096, 1024, 1000, 64e9,
    ]);
    expect(['40 us', '40 µs', '40', '1.5ms', '2 s', '250 ns'].map(parseDuration)).toEqual([
      4e4, 4e4, 4e4, 1.5e6, 2e9, 250,
    ]);
    for (const text of ['', 'MiB', '20 apples', '-3', '1.5 B', '3 us']) expect(parseBytes(text)).toBeNull();
  });

  it('come back from their own text, exactly', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 40 }), (value) => {
        expect(parseBytes(bytesText(value))).toBe(value);
      }),
    );
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 3.6e12, noNaN: true }), (value) => {
        const short = Number(value.toPrecision(12));
        expect(parseDuration(durationText(short))).toBe(short);
      }),
    );
    expect([20_971_520, 1536, 1000].map(bytesText)).toEqual(['20 MiB', '1.5 KiB', '1000 B']);
    for (const typed of ['64 MB', '1.5 GB', '128 kB', '512 kB', '64 MiB', '64 KiB', '1 GiB', '1.25 MiB'])
      expect(bytesText(parseBytes(typed) ?? 0)).toBe(typed);
    expect([40_000, 1_500_000, 0].map(durationText)).toEqual(['40 µs', '1.5 ms', '0 ns']);
  });
});

describe('lines of fields', () => {
  it('are found for every value of a document, however it is written', () => {
    const experiment = strategyB();
    for (const indent of [2, 0]) {
      const text = JSON.stringify(experiment, null, indent);
      const lines = text.split('\n');
      const walk = (value: unknown, path: (string | number)[]): void => {
        if (typeof value === 'object' && value !== null) {
          for (const [key, inner] of Object.entries(value))
            walk(inner, [...path, Array.isArray(value) ? Number(key) : key]);
        } else {
          const line = lines[lineOfField(text, fieldPath(path)) - 1];
          expect(line, fieldPath(path)).toContain(JSON.stringify(value));
        }
      };
      walk(experiment, []);
    }
  });

  it('fall back to the nearest parent, and survive anything', () => {
    expect(lineOfField('{\n "a": {\n  "b": 1\n }\n}', 'a.missing.deeper')).toBe(2);
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, field) => {
        expect(lineOfField(text, field)).toBeGreaterThan(0);
      }),
    );
  });

  it('lines of fields appear in syntax errors', () => {
    const text = '{\n "a": 1,\n "b" 2\n}';
    let message = '';
    try {
      JSON.parse(text);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(lineOfSyntaxError(text, message)).toBe(3);
  });
});
