import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chanceOfApart, judge, type Sample, sampleOf, spreadOf } from '../../../core/explain/compare/spread.ts';

const drawn = (values: readonly number[]): Sample => sampleOf(values, false) as Sample;
const exact = (value: number): Sample => sampleOf([value], true) as Sample;
const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);

/** Yields every way to place n values of one sample among m of another, as sets of places. */
function* orders(n: number, m: number, from = 0): Generator<number[]> {
  if (n === 0) {
    yield [];
    return;
  }
  for (let place = from; place <= n + m + from; place += 1) {
    if (place > total - n) return;
    for (const rest of orders(n - 1, m, place + 1)) yield [place, ...rest];
  }
}
let total = 0;

describe('spread', () => {
  it('is all of up to ten values, and leaves out a tenth at each end of more', () => {
    expect(spreadOf(drawn(upTo(10)))).toEqual({ median: 4.5, low: 0, high: 9, min: 0, max: 9, count: 10 });
    expect(spreadOf(drawn(upTo(11)))).toMatchObject({ median: 5, low: 1, high: 9, min: 0, max: 10 });
    expect(spreadOf(drawn(upTo(40)))).toMatchObject({ low: 3, high: 36 });
  });

  it('a simulated run has no spread', () => {
    expect(spreadOf(exact(7))).toEqual({ median: 7, low: 7, high: 7, min: 7, max: 7, count: 1 });
  });

  it('is null for no values', () => {
    expect(sampleOf([], false)).toBeNull();
  });
});

describe('chance that spreads stand apart', () => {
  it('is what counting every order gives', () => {
    for (const [n, m] of [
      [1, 1],
      [3, 4],
      [4, 4],
      [11, 3],
      [11, 4],
      [12, 2],
    ] as const) {
      total = n + m;
      let [all, apart] = [0, 0];
      for (const places of orders(n, m)) {
        const own = new Set(places);
        // So close together that none is an outlier.
        const near = (list: readonly number[]): Sample => drawn(list.map((place) => 1000 + place));
        const [a, b] = [spreadOf(near(places)), spreadOf(near(upTo(total).filter((place) => !own.has(place))))];
        all += 1;
        if (a.high < b.low || b.high < a.low) apart += 1;
      }
      expect(chanceOfApart(drawn(upTo(n)), drawn(upTo(m))), `${n} and ${m}`).toBeCloseTo(apart / all, 10);
    }
  });

  it('next to a simulated run it is the chance to miss the median', () => {
    expect(chanceOfApart(exact(0), drawn(upTo(5)))).toBeCloseTo(2 / 32, 12);
    expect(chanceOfApart(drawn(upTo(6)), exact(0))).toBeCloseTo(2 / 64, 12);
    // Second to tenth of eleven: 2 · (1 + 11) / 2¹¹.
    expect(chanceOfApart(exact(0), drawn(upTo(11)))).toBeCloseTo(24 / 2048, 12);
    expect(chanceOfApart(exact(0), exact(1))).toBe(0);
  });
});

describe('judgement', () => {
  it('can be made from four and four iterations on', () => {
    expect(judge(drawn(upTo(3)), drawn(upTo(3, 100)))).toBe('undecided');
    expect(judge(drawn(upTo(4)), drawn(upTo(4, 100)))).toBe('larger');
    expect(judge(drawn(upTo(4)), drawn(upTo(4, 2)))).toBe('within');
    expect(judge(drawn([1]), drawn([2]))).toBe('undecided');
  });

  it('is not misled by one stray iteration among many', () => {
    const stray = [...upTo(19).map((value) => value / 100), 1000];
    expect(judge(drawn(stray), drawn(upTo(20, 100)))).toBe('larger');
    expect(judge(drawn([0, 0.1, 0.2, 0.3, 1000]), drawn(upTo(5, 100)))).toBe('larger');
    expect(judge(drawn([98, 100, 101, 102, 390]), drawn([71, 72, 72, 73, 300]))).toBe('larger');
    expect(judge(drawn([0, 0.1, 1000, 1001]), drawn(upTo(4, 100)))).toBe('within');
  });

  it('tells a prediction from what was measured where it lies outside of the spread', () => {
    const measured = drawn([10, 11, 12, 13, 14, 15]);
    expect(judge(exact(16), measured)).toBe('larger');
    expect(judge(measured, exact(9))).toBe('larger');
    expect(judge(exact(14.5), measured)).toBe('within');
    expect(judge(exact(16), drawn([10, 11, 12, 13, 14]))).toBe('undecided');
    expect(judge(exact(1), exact(2))).toBe('larger');
    expect(judge(exact(2), exact(2))).toBe('equal');
  });

  it('is the same whichever comes first', () => {
    const sample = fc.tuple(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 25 }), fc.boolean());
    fc.assert(
      fc.property(sample, sample, (one, other) => {
        const [a, b] = [sampleOf(...one) as Sample, sampleOf(...other) as Sample];
        expect(judge(a, b)).toBe(judge(b, a));
        expect(chanceOfApart(a, b)).toBeCloseTo(chanceOfApart(b, a), 12);
      }),
    );
  });
});
