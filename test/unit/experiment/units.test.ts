import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asWritten, formatBytes, formatDuration, formatRate, formatShare } from '../../../core/units.ts';
import { wrap } from '../../../host/cli/render/text.ts';

describe('quantities read as people write them', () => {
  it.each([
    [0, '0 ns'],
    [1, '1.00 ns'],
    [999.94, '1.00 µs'],
    [999_900, '1.00 ms'],
    [1500, '1.50 µs'],
    [12_345_678, '12.3 ms'],
    [3.6e12, '3600 s'],
    [-1500, '-1.50 µs'],
    [0.123, '0.123 ns'],
    [1e-7, '0.000 ns'],
    [9996, '10.0 µs'],
    [99_960, '100 µs'],
  ])('%d ns: %s', (value, text) => {
    expect(formatDuration(value)).toBe(text);
  });

  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.00 KiB'],
    [20 * 1024 * 1024, '20.0 MiB'],
    [1024 ** 3, '1.00 GiB'],
    [1536, '1.50 KiB'],
  ])('%d bytes: %s', (value, text) => {
    expect(formatBytes(value)).toBe(text);
  });

  it.each([
    [55.3e9, '55.3 GB/s'],
    [1e12, '1.00 TB/s'],
    [0, '0 B/s'],
  ])('%d bytes a second: %s', (value, text) => {
    expect(formatRate(value)).toBe(text);
  });

  it('a share reads 100 % only where it is all of it, and 0 % only where it is nothing', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        expect(formatShare(share) === '100 %').toBe(share === 1);
        expect(formatShare(share) === '0 %').toBe(share === 0);
      }),
    );
  });
});

describe('a number and its unit', () => {
  const text = 'took 2.00 ms of 20.6 µs, 55.2 GB/s for 64.0 MiB: 1.0 % of 3 copies, 4 B each';

  it('nor by one of the command line, where every other space may be one', () => {
    for (let width = 1; width < 100; width += 1) {
      const lines = wrap(text, width, '');
      expect(lines.join(' ')).toBe(text);
      for (const line of lines) expect(line).not.toMatch(/^(ms|µs|GB|MiB|%|B)|\u00a0/);
    }
  });
});

it.each([
  ['20.0 MiB', '20 MiB'],
  ['1.50 times', '1.5 times'],
  ['1.00 ms to 380 µs', '1 ms to 380 µs'],
  ['100 %', '100 %'],
  ['0.05 to 10.25', '0.05 to 10.25'],
])('%s is written %s', (text, written) => {
  expect(asWritten(text)).toBe(written);
});
