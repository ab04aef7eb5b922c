import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { coveredLength, type Intervals, intersection, length, union } from '../../../core/trace/intervals.ts';

const size = 60;
const spans = fc.array(
  fc.tuple(fc.integer({ min: 0, max: size }), fc.integer({ min: 0, max: size })).map(([a, b]) => ({
    start: Math.min(a, b),
    end: Math.max(a, b),
  })),
  { maxLength: 20 },
);
type Span = { start: number; end: number };

const unionOf = (list: readonly Span[]): Intervals =>
  union(
    list.map(({ start }) => start),
    list.map(({ end }) => end),
  );
/** Returns one bit for each unit of time: the simplest set of times. */
const bits = (list: readonly Span[]): boolean[] =>
  Array.from({ length: size }, (_, at) => list.some(({ start, end }) => start <= at && at < end));
const bitsOf = (intervals: Intervals): boolean[] =>
  bits(
    Array.from({ length: intervals.length / 2 }, (_, i) => ({
      start: intervals[i * 2] ?? 0,
      end: intervals[i * 2 + 1] ?? 0,
    })),
  );
const count = (set: readonly boolean[]): number => set.filter(Boolean).length;

describe('intervals', () => {
  it('joins what overlaps or touches and drops what has no duration', () => {
    expect([...union([5, 0, 2, 9, 7], [6, 2, 4, 9, 8])]).toEqual([0, 4, 5, 6, 7, 8]);
    expect([...union([], [])]).toEqual([]);
  });

  it('unions are sorted, disjoint, and hold the same times as a bitmap', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const merged = unionOf(list);
        for (let i = 1; i < merged.length; i += 1) expect(merged[i]).toBeGreaterThan(merged[i - 1] ?? 0);
        expect(bitsOf(merged)).toEqual(bits(list));
        expect(length(merged)).toBe(count(bits(list)));
      }),
    );
  });

  it('intersections hold the times that are in both', () => {
    fc.assert(
      fc.property(spans, spans, (a, b) => {
        const both = bits(a).map((held, at) => held && (bits(b)[at] ?? false));
        expect(bitsOf(intersection(unionOf(a), unionOf(b)))).toEqual(both);
      }),
    );
  });

  it('covered length is the number of times of a window that are held', () => {
    fc.assert(
      fc.property(spans, fc.integer({ min: 0, max: size }), fc.integer({ min: 0, max: size }), (list, x, y) => {
        const [from, to] = [Math.min(x, y), Math.max(x, y)];
        expect(coveredLength(unionOf(list), from, to)).toBe(count(bits(list).slice(from, to)));
      }),
    );
  });
});
