/** Finds the activity under the pointer in the index, so that the row is exact at any zoom. */
import type { RowIndex } from '../../../core/trace/trace.ts';
import { spanNs, type TimeView, toTime } from '../time/timeView.ts';
import {
  barOffset,
  type CounterTrack,
  depthAt,
  type LaneTrack,
  screenTop,
  type Track,
  trackAt,
} from '../tracks/tracks.ts';

export type Hit =
  | { readonly kind: 'row'; readonly row: RowIndex; readonly timeNs: number }
  | { readonly kind: 'bandwidth'; readonly name: string; readonly rate: number; readonly timeNs: number }
  | CounterHit
  | { readonly kind: 'none'; readonly timeNs: number };

export interface CounterHit {
  readonly kind: 'counter';
  readonly track: CounterTrack;
  readonly value: number;
  /** Least value within the pixel under the pointer. */
  readonly least: number;
  readonly most: number;
  readonly timeNs: number;
}

const markReachPixels = 6;
const barReachPixels = 3;

/** `x` and `y` are relative to the plot's top left corner. */
export function hitTest(
  tracks: readonly Track[],
  view: TimeView,
  width: number,
  x: number,
  y: number,
  scrollTop = 0,
): Hit {
  const timeNs = toTime(view, width, x);
  const track = trackAt(tracks, y, scrollTop);
  if (track === null) return { kind: 'none', timeNs };
  const pixelNs = spanNs(view) / Math.max(width, 1);
  if (track.kind === 'bandwidth') {
    return { kind: 'bandwidth', name: track.name, rate: track.bandwidth.at(timeNs), timeNs };
  }
  if (track.kind === 'counter') {
    const range = track.counter.over(timeNs - pixelNs / 2, timeNs + pixelNs / 2);
    return { kind: 'counter', track, value: track.counter.at(timeNs), ...range, timeNs };
  }
  const row = rowAt(track, timeNs, pixelNs, y - screenTop(track, scrollTop));
  return row === null ? { kind: 'none', timeNs } : { kind: 'row', row, timeNs };
}

/** `y` is relative to the top of the track. */
function rowAt(track: LaneTrack, timeNs: number, pixelNs: number, y: number): RowIndex | null {
  const mark = (): RowIndex | null => {
    for (let depth = 0; depth < track.index.markDepths; depth += 1) {
      const found = track.index.hit(timeNs, depth, markReachPixels * pixelNs, 'mark');
      if (found !== null) return found;
    }
    return null;
  };
  const bar = (): RowIndex | null => track.index.hit(timeNs, depthAt(track, y), barReachPixels * pixelNs);
  return y < barOffset(track, 0) ? (mark() ?? bar()) : (bar() ?? mark());
}
