import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AlignedTime, alignRuns } from '../../../renderer/compare/alignedTime.ts';
import { alignmentIn, sameOperation } from '../../../renderer/compare/anchors.ts';
import { TimeWindow } from '../../../renderer/timeline/time/timeWindow.ts';
import { experimentOf } from '../support/experiments.ts';

beforeEach(() => vi.stubGlobal('requestAnimationFrame', () => 1));
afterEach(() => vi.unstubAllGlobals());

describe('runs aligned by a moment', () => {
  it('have it at one place, and none begins before the shared time', () => {
    const run = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.option(fc.integer({ min: 0, max: 1000 })));
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 6 }), (runs) => {
        const [makespans, anchors] = [runs.map(([makespan]) => makespan), runs.map(([, anchor]) => anchor)];
        const { shifts, anchorNs, extentNs } = alignRuns(makespans, anchors);
        for (const [index, shift] of shifts.entries()) {
          const anchor = anchors[index] ?? null;
          expect(shift).toBeGreaterThanOrEqual(0);
          if (anchor !== null) expect(anchor + shift).toBe(anchorNs);
          else expect(shift).toBe(0);
          expect((makespans[index] ?? 0) + shift).toBeLessThanOrEqual(extentNs);
        }
      }),
    );
  });

  it('begin together where no moment was chosen', () => {
    expect(alignRuns([5, 9], [null, null])).toEqual({ shifts: [0, 0], anchorNs: null, extentNs: 9 });
  });
});

it('a shifted window shows and moves the shared one in the time of its run', () => {
  const shared = new TimeWindow(1000);
  const own = new AlignedTime(shared, 300);
  expect(own.view).toEqual({ startNs: shared.view.startNs - 300, endNs: shared.view.endNs - 300 });
  own.move(() => ({ startNs: 100, endNs: 200 }));
  expect(shared.view).toEqual({ startNs: 400, endNs: 500 });
  own.move((_, limits) => limits);
  expect(shared.view).toEqual(shared.limits);
  own.cursor = 50;
  expect([shared.cursor, own.cursor]).toEqual([350, 50]);
  own.cursor = null;
  expect(shared.cursor).toBeNull();
});

describe('aligning runs', () => {
  const looped = experimentOf({}, [
    { op: 'repeat', count: 2, operations: [{ op: 'work', durationNs: 1 }] },
    { op: 'synchronizeDevice' },
  ]);

  it('is the first operation that does anything where the chosen one is not there', () => {
    expect(alignmentIn(looped, [], { op: 0, edge: 'issue' })).toEqual({ op: 1, edge: 'issue' });
    expect(alignmentIn(looped, [], { op: 2, edge: 'end' })).toEqual({ op: 2, edge: 'end' });
    expect(alignmentIn(looped, [], null)).toBeNull();
    expect(alignmentIn(null, [], { op: 0, edge: 'issue' })).toBeNull();
  });

  it('is found by what it is in another experiment', () => {
    const longer = experimentOf({}, [{ op: 'work', durationNs: 7 }, ...(looped.threads[0]?.operations ?? [])]);
    expect([0, 1, 2].map((op) => sameOperation(looped, longer, op))).toEqual([1, 2, 3]);
    expect(sameOperation(longer, looped, 0)).toBeNull();
    expect(sameOperation(looped, null, 0)).toBeNull();
  });
});
