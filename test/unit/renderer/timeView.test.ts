import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { roundStep, timeTicks } from '../../../renderer/timeline/time/ticks.ts';
import {
  clampView,
  fitView,
  leastSpanNs,
  limitsOf,
  panBy,
  revealIn,
  spanNs,
  toPixels,
  toTime,
  zoomAnchor,
  zoomAt,
} from '../../../renderer/timeline/time/timeView.ts';

const extents = fc.double({ min: 100, max: 1e12, noNaN: true });
const shares = fc.double({ min: 0, max: 1, noNaN: true });

describe('the visible stretch of time', () => {
  it('is zoomed at what of the selection is in view, else in its middle', () => {
    const view = { startNs: 100, endNs: 200 };
    expect(zoomAnchor(view, null)).toBe(150);
    expect(zoomAnchor(view, { startNs: 110, endNs: 120 })).toBe(115);
    expect(zoomAnchor(view, { startNs: 180, endNs: 900 })).toBe(190);
    expect(zoomAnchor(view, { startNs: 300, endNs: 400 })).toBe(150);
  });

  it('never leaves the limits and never gets narrower than can be seen', () => {
    fc.assert(
      fc.property(
        extents,
        shares,
        fc.array(fc.tuple(shares, fc.double({ min: 0.01, max: 100, noNaN: true }))),
        (extent, pan, zooms) => {
          const limits = limitsOf(extent);
          let view = limits;
          for (const [anchor, factor] of zooms) {
            view = zoomAt(view, view.startNs + anchor * spanNs(view), factor, limits);
            view = panBy(view, (pan - 0.5) * extent, limits);
            const slack = extent * 1e-9;
            expect(view.startNs).toBeGreaterThanOrEqual(limits.startNs - slack);
            expect(view.endNs).toBeLessThanOrEqual(limits.endNs + slack);
            expect(spanNs(view)).toBeGreaterThanOrEqual(leastSpanNs * 0.99);
          }
        },
      ),
    );
  });

  it('keeps what is under the cursor there when zooming in', () => {
    fc.assert(
      fc.property(extents, shares, fc.double({ min: 0.2, max: 0.99, noNaN: true }), (extent, at, factor) => {
        const limits = limitsOf(extent);
        const anchor = toTime(limits, 800, at * 800);
        const zoomed = zoomAt(limits, anchor, factor, limits);
        if (spanNs(zoomed) > leastSpanNs) expect(toPixels(zoomed, 800, anchor)).toBeCloseTo(at * 800, 2);
      }),
    );
  });

  it('fits a mark without duration, and moves only as far as needed to reveal one', () => {
    const limits = limitsOf(1e6);
    expect(spanNs(fitView(500, 500, limits))).toBe(2 * leastSpanNs);
    const view = clampView({ startNs: 0, endNs: 1000 }, limits);
    expect(revealIn(view, 100, 200, limits)).toBe(view);
    const moved = revealIn(view, 5000, 5100, limits);
    expect(spanNs(moved)).toBeCloseTo(1000);
    expect(moved.startNs).toBeCloseTo(4550);
  });
});

describe('time ticks', () => {
  it('steps by 1, 2 or 5 times a power of ten', () => {
    expect([3, 11, 21, 51, 100, 0.2].map(roundStep)).toEqual([5, 20, 50, 100, 100, 1]);
  });

  it('keeps ticks apart, in the view, and their labels different', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 1e10 }),
        fc.double({ min: 20, max: 1e10, noNaN: true }),
        fc.integer({ min: 50, max: 3000 }),
        (start, span, width) => {
          const view = { startNs: start, endNs: start + span };
          const { ticks, stepNs } = timeTicks(view, width);
          expect((stepNs / span) * width).toBeGreaterThan(89);
          for (const tick of ticks) {
            expect(tick.timeNs).toBeGreaterThanOrEqual(view.startNs);
            expect(tick.timeNs).toBeLessThanOrEqual(view.endNs);
          }
          expect(new Set(ticks.map((tick) => tick.label)).size).toBe(ticks.length);
        },
      ),
    );
  });
});
