import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { indexLane, type LaneIndex } from '../../../core/trace/laneIndex.ts';
import { allRows, iterationRows, rowEndNs } from '../../../core/trace/rows.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import { runs } from '../../support/effort.ts';
import { lanes, smallTrace } from './fixtures.ts';

interface Span {
  readonly start: number;
  readonly length: number;
}

function traceOf(spans: readonly Span[]): Trace {
  const builder = new TraceBuilder();
  const lane = builder.lane(lanes.main);
  for (const { start, length } of spans) {
    builder.add({ startNs: start, durationNs: length, lane, kind: 'host-range', name: 'range' });
  }
  return builder.build();
}

const indexOf = (trace: Trace): LaneIndex => indexLane(trace, 0, allRows(trace));
const startOf = (trace: Trace, row: number): number => trace.columns.startNs[row] ?? Number.NaN;
const lengthOf = (trace: Trace, row: number): number => trace.columns.durationNs[row] ?? Number.NaN;
const allOf = (trace: Trace): number[] => Array.from({ length: trace.count }, (_, row) => row);

// Whole numbers, so that sums are exact in any order.
const span = fc.record({ start: fc.nat({ max: 2000 }), length: fc.nat({ max: 60 }) });
const spans = fc.array(span, { maxLength: 150, size: 'max' });
const windows = fc
  .tuple(fc.integer({ min: -50, max: 2100 }), fc.integer({ min: 1, max: 2500 }), fc.integer({ min: 1, max: 60 }))
  .map(([from, length, pixels]) => ({ from, to: from + length, pixels }));

/** Returns true if a window shows the row: bars that reach into it, and marks in it. */
const isIn = (trace: Trace, row: number, from: number, to: number): boolean =>
  startOf(trace, row) <= to && (startOf(trace, row) >= from || rowEndNs(trace, row) > from);

describe('the lanes of the timeline', () => {
  it('holds every row of the window exactly once, with the true busy time', () => {
    fc.assert(
      fc.property(spans, windows, (list, { from, to, pixels }) => {
        const trace = traceOf(list);
        const shapes = indexOf(trace).shapes(from, to, pixels);
        const inside = allOf(trace).filter((row) => isIn(trace, row, from, to));
        expect(shapes.reduce((sum, { count }) => sum + count, 0)).toBe(inside.length);
        const busy = inside.reduce((sum, row) => sum + lengthOf(trace, row), 0);
        expect(shapes.reduce((sum, { busyNs }) => sum + busyNs, 0)).toBe(busy);
      }),
      { numRuns: runs(500) },
    );
  });

  it('is bounded by the pixels, whatever the number of rows', () => {
    fc.assert(
      fc.property(spans, windows, (list, { from, to, pixels }) => {
        const index = indexOf(traceOf(list));
        const most = (2 * pixels + 3) * (index.depths + index.markDepths);
        expect(index.shapes(from, to, pixels).length).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('merges only rows narrower than a pixel, and says how busy that pixel was', () => {
    fc.assert(
      fc.property(spans, windows, (list, { from, to, pixels }) => {
        const trace = traceOf(list);
        const pixelNs = (to - from) / pixels;
        const bars = indexOf(trace)
          .shapes(from, to, pixels)
          .filter(({ as }) => as === 'bar');
        for (const shape of bars) {
          if (shape.count === 1) {
            const { startNs, endNs, busyNs, row } = shape;
            expect([startNs, endNs, busyNs]).toEqual([startOf(trace, row), rowEndNs(trace, row), lengthOf(trace, row)]);
            continue;
          }
          expect(lengthOf(trace, shape.row)).toBeLessThan(pixelNs);
          expect(shape.endNs - shape.startNs).toBeLessThan(2 * pixelNs);
          expect(shape.busyNs).toBeLessThanOrEqual(shape.endNs - shape.startNs);
        }
      }),
    );
  });

  it('stands for the longest of the rows in a block', () => {
    fc.assert(
      fc.property(spans, windows, (list, { from, to, pixels }) => {
        const index = indexOf(traceOf(list));
        const single = index.shapes(-1, 3000, 1e7);
        for (const { as, depth, row, startNs, endNs, count } of index.shapes(from, to, pixels)) {
          const inside = single.filter(
            (shape) => shape.as === as && shape.depth === depth && shape.startNs >= startNs && shape.endNs <= endNs,
          );
          expect(inside.length).toBe(count);
          const lengths = inside.map(({ busyNs }) => busyNs);
          expect(inside.find((shape) => shape.row === row)?.busyNs).toBe(Math.max(...lengths));
        }
      }),
    );
  });

  it('does so over many groups of rows as over few', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 4000, maxLength: 5000, size: 'max' });
    const part = fc.tuple(
      fc.nat({ max: 140_000 }),
      fc.integer({ min: 1, max: 60_000 }),
      fc.integer({ min: 1, max: 9 }),
    );
    fc.assert(
      fc.property(lengths, part, (list, [from, span, pixels]) => {
        const trace = traceOf(list.map((length, k) => ({ start: k * 30, length })));
        const inside = allOf(trace).filter((row) => isIn(trace, row, from, from + span));
        let next = 0;
        for (const { count, row, busyNs } of indexOf(trace).shapes(from, from + span, pixels)) {
          const rows = inside.slice(next, next + count);
          next += count;
          const most = Math.max(...rows.map((one) => lengthOf(trace, one)));
          expect(row).toBe(rows.find((one) => lengthOf(trace, one) === most));
          expect(busyNs).toBe(rows.reduce((sum, one) => sum + lengthOf(trace, one), 0));
        }
        expect(next).toBe(inside.length);
      }),
      { numRuns: runs(30) },
    );
  });

  it('never overlaps at one depth', () => {
    fc.assert(
      fc.property(spans, windows, (list, { from, to, pixels }) => {
        const index = indexOf(traceOf(list));
        const ends = new Map<string, number>();
        for (const { as, depth, startNs, endNs } of index.shapes(from, to, pixels)) {
          const key = `${as} ${depth}`;
          expect(startNs).toBeGreaterThanOrEqual(ends.get(key) ?? Number.NEGATIVE_INFINITY);
          ends.set(key, endNs);
        }
      }),
    );
  });

  it.each([
    ['backwards', 10, 0, 100],
    ['empty', 5, 5, 100],
    ['without pixels', 0, 10, 0],
    ['of no number', Number.NaN, 10, 100],
  ])('is nothing for a window that is %s', (_, from, to, pixels) => {
    expect(indexOf(traceOf([{ start: 1, length: 5 }])).shapes(from, to, pixels)).toEqual([]);
  });
});

describe('depth', () => {
  it('is as small as the rows allow: the most that are under way at once', () => {
    fc.assert(
      fc.property(spans, (list) => {
        const trace = traceOf(list);
        const bars = list.filter(({ length }) => length > 0);
        const atOnce = bars.map(
          ({ start }) => bars.filter((bar) => bar.start <= start && bar.start + bar.length > start).length,
        );
        expect(indexOf(trace).depths).toBe(Math.max(0, ...atOnce));
      }),
    );
  });

  it('puts a range over what lies inside it', () => {
    const trace = traceOf([
      { start: 0, length: 100 },
      { start: 0, length: 40 },
      { start: 10, length: 20 },
      { start: 50, length: 50 },
      { start: 100, length: 10 },
    ]);
    const depths = indexOf(trace)
      .shapes(0, 110, 1000)
      .map(({ startNs, endNs, depth }) => [startNs, endNs - startNs, depth]);
    expect(depths.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0) || (b[1] ?? 0) - (a[1] ?? 0))).toEqual([
      [0, 100, 0],
      [0, 40, 1],
      [10, 20, 2],
      [50, 50, 1],
      [100, 10, 0],
    ]);
  });

  it('keeps marks apart from bars, and marks of one moment apart from each other', () => {
    const index = indexOf(traceOf([0, 10, 10, 10, 20].map((start) => ({ start, length: start === 0 ? 30 : 0 }))));
    expect([index.depths, index.markDepths]).toEqual([1, 3]);
  });
});

describe('pointing at a row', () => {
  it('finds the row there, or else the nearest within the tolerance, as looking at every row would', () => {
    const points = fc.record({ time: fc.integer({ min: -50, max: 2200 }), tolerance: fc.nat({ max: 40 }) });
    fc.assert(
      fc.property(spans, points, (list, { time, tolerance }) => {
        const trace = traceOf(list);
        const index = indexOf(trace);
        const everything = index.shapes(-1, 3000, 1e7);
        for (const as of ['bar', 'mark'] as const) {
          for (let depth = 0; depth < (as === 'bar' ? index.depths : index.markDepths); depth += 1) {
            const distances = everything
              .filter((shape) => shape.as === as && shape.depth === depth)
              .map((shape) => Math.max(0, shape.startNs - time, time - shape.endNs));
            const nearest = Math.min(...distances);
            const hit = index.hit(time, depth, tolerance, as);
            expect(hit === null).toBe(nearest > tolerance);
            if (hit === null) continue;
            expect(Math.max(0, startOf(trace, hit) - time, time - rowEndNs(trace, hit))).toBe(nearest);
          }
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('finds nothing at a depth that there is not', () => {
    expect(indexOf(traceOf([{ start: 0, length: 5 }])).hit(1, 7, 100)).toBeNull();
  });
});

it('the busy time of a depth is that of its rows, cut to the window', () => {
  fc.assert(
    fc.property(spans, windows, (list, { from, to }) => {
      const trace = traceOf(list);
      const index = indexOf(trace);
      const cut = allOf(trace)
        .map((row) => Math.min(rowEndNs(trace, row), to) - Math.max(startOf(trace, row), from))
        .filter((length) => length > 0)
        .reduce((sum, length) => sum + length, 0);
      let busy = 0;
      for (let depth = 0; depth < index.depths; depth += 1) busy += index.busyNs(depth, from, to);
      expect(busy).toBe(cut);
    }),
  );
});

it('the index of a lane holds the rows of that lane and iteration only', () => {
  const trace = smallTrace(3);
  const lane = trace.lanes.findIndex(({ id }) => id === lanes.h2d.id);
  const shapes = indexLane(trace, lane, iterationRows(trace, 1)).shapes(0, 10_000, 100);
  expect(shapes).toMatchObject([{ startNs: 2000, endNs: 8000, count: 1 }]);
});
