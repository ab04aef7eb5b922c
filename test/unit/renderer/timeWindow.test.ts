import { expect, it } from 'vitest';
import { limitsOf } from '../../../renderer/timeline/time/timeView.ts';
import { TimeWindow } from '../../../renderer/timeline/time/timeWindow.ts';

/** Returns a window zoomed in on a time range, without the frame that reports it. */
function zoomedTo(startNs: number, endNs: number): TimeWindow {
  const time = new TimeWindow(10_000);
  globalThis.requestAnimationFrame = () => 0;
  time.move(() => ({ startNs, endNs }));
  return time;
}

it('everything is shown of a longer run where everything was shown of the one before', () => {
  expect(new TimeWindow(20_000, new TimeWindow(10_000)).view).toEqual(limitsOf(20_000));
});

it('a zoom stays at its time when the run gets longer or shorter', () => {
  for (const extent of [20_000, 8_000]) {
    expect(new TimeWindow(extent, zoomedTo(2_000, 3_000)).view).toEqual({ startNs: 2_000, endNs: 3_000 });
  }
});

it('a zoom on what is gone moves to the end, and keeps its width where it can', () => {
  const { view, limits } = new TimeWindow(2_500, zoomedTo(9_000, 9_500));
  expect(view).toEqual({ startNs: limits.endNs - 500, endNs: limits.endNs });
  expect(new TimeWindow(100, zoomedTo(2_000, 8_000)).view).toEqual(limitsOf(100));
});
