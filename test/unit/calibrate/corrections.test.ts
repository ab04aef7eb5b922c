/** Tables corrected by readings, and kept in order. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ascending, corrected } from '../../../core/calibrate/corrections.ts';
import { timeTable } from '../../../core/simulator/table.ts';

const line = [1, 100, 10_000].map((place) => ({ place, value: 2 * place }));
const at = timeTable(line.map(({ place, value }) => ({ bytes: place, ns: value })));

describe('a corrected table', () => {
  it('passes through what was read, and the less of the difference goes on the farther away', () => {
    const [first, read, last] = corrected(line, [{ place: 100, value: 400 }], at);
    expect(read).toEqual({ place: 100, value: 400 });
    const part = 0.5 ** (Math.log(100) / Math.log(16));
    expect(first?.value).toBeCloseTo(2 * (1 + part), 6);
    expect(last?.value).toBeCloseTo(20_000 * (1 + part), 3);
  });

  it('takes what latency is longer for no bandwidth', () => {
    const flat = [1, 100].map((place) => ({ place, value: 50 }));
    const table = timeTable(flat.map(({ place, value }) => ({ bytes: place, ns: value })));
    const [, , , large] = corrected([...flat, { place: 1e6, value: 1e6 }], [{ place: 10, value: 90 }], (place) =>
      place <= 100 ? table(place) : place,
    );
    expect(large?.value).toBeLessThan(1e6 + 40);
  });

  it('interpolates the correction between two readings on logarithms', () => {
    const read = [
      { place: 1, value: 2 },
      { place: 10_000, value: 80_000 },
    ];
    const [, middle] = corrected(line, read, at);
    expect(middle?.value).toBeCloseTo(200 * 2, 6);
  });

  it('gains the places that were read', () => {
    const places = corrected(line, [{ place: 10, value: 21 }], at).map(({ place }) => place);
    expect(places).toEqual([1, 10, 100, 10_000]);
  });

  it('without readings it stays', () => {
    expect(corrected(line, [], at)).toEqual(line);
  });
});

describe('values brought in order', () => {
  it('those in order stay, and neighbours that are not meet in the middle', () => {
    const values = (...list: number[]) =>
      ascending(list.map((value, place) => ({ place, value }))).map(({ value }) => value);
    expect(values(1, 2, 2, 5)).toEqual([1, 2, 2, 5]);
    const [a, b, c] = values(1, 8, 2);
    expect([a, b, c]).toEqual([1, expect.closeTo(4, 9), expect.closeTo(4, 9)]);
  });

  it('never fall, keep their number, and lie between the least and the most', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1e-3, max: 1e12, noNaN: true }), { minLength: 1, maxLength: 30 }),
        (list) => {
          const found = ascending(list.map((value, place) => ({ place, value }))).map(({ value }) => value);
          expect(found).toHaveLength(list.length);
          found.forEach((value, index) => {
            expect(value).toBeGreaterThanOrEqual(found[index - 1] ?? 0);
          });
          expect(found[0]).toBeGreaterThanOrEqual(Math.min(...list) * (1 - 1e-9));
          expect(found.at(-1)).toBeLessThanOrEqual(Math.max(...list) * (1 + 1e-9));
        },
      ),
    );
  });
});
