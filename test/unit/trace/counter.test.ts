import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Counter, counterData } from '../../../core/trace/counter.ts';
import { runs } from '../../support/effort.ts';

interface Step {
  readonly gap: number;
  readonly value: number;
}

/** Lists of up to thousands of steps, so that every level of groups is used. */
const steps = fc
  .record({
    few: fc.array(fc.record({ gap: fc.integer({ min: 1, max: 40 }), value: fc.integer({ min: 0, max: 900 }) }), {
      minLength: 1,
      maxLength: 60,
    }),
    times: fc.constantFrom(1, 1, 40),
  })
  .map(({ few, times }) => Array.from({ length: times }, () => few).flat());

function counterOf(list: readonly Step[]) {
  let at = 0;
  const times = Float64Array.from(list, ({ gap }) => {
    at += gap;
    return at;
  });
  return { times, counter: new Counter(counterData({ times, values: Float64Array.from(list, ({ value }) => value) })) };
}

/** Returns every value in [from, to), by walking over all steps. */
function truth(list: readonly Step[], times: Float64Array, from: number, to: number): number[] {
  const found: number[] = (times[0] ?? 0) > from ? [0] : [];
  list.forEach(({ value }, k) => {
    if ((times[k] ?? 0) < to && (times[k + 1] ?? Number.POSITIVE_INFINITY) > from) found.push(value);
  });
  return found;
}

describe('a counter', () => {
  it('draws in every pixel the true least and most, at any zoom', () => {
    const views = fc.record({
      share: fc.double({ min: -0.2, max: 1.1, noNaN: true }),
      span: fc.constantFrom(1, 7, 100, 3000, 60_000),
      pixels: fc.integer({ min: 1, max: 90 }),
    });
    fc.assert(
      fc.property(steps, views, (list, { share, span, pixels }) => {
        const { times, counter } = counterOf(list);
        const from = share * (times.at(-1) ?? 0);
        const columns = { least: new Float64Array(pixels), most: new Float64Array(pixels) };
        counter.fill(columns, from, from + span, pixels);
        for (let pixel = 0; pixel < pixels; pixel += 1) {
          const width = span / pixels;
          const values = truth(list, times, from + pixel * width, from + (pixel + 1) * width);
          expect([columns.least[pixel], columns.most[pixel]]).toEqual([Math.min(...values), Math.max(...values)]);
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('says the same of a stretch, and of a moment', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: -50, max: 3000 }), fc.integer({ min: 1, max: 2000 }), (list, from, span) => {
        const { times, counter } = counterOf(list);
        const values = truth(list, times, from, from + span);
        expect(counter.over(from, from + span)).toEqual({ least: Math.min(...values), most: Math.max(...values) });
        expect(counter.at(from)).toBe(truth(list, times, from, from + 1e-6)[0]);
        expect(counter.peak).toBe(Math.max(0, ...list.map(({ value }) => value)));
      }),
    );
  });
});
