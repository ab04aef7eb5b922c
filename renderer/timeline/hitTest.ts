/** What is under the pointer: found in the index, so that it is the exact row whatever the zoom. */
import type { RowIndex } from '../../core/trace/trace.ts';
import { spanNs, type TimeView, toTime } from './timeView.ts';
import { barTop, depthAt, type Track, trackAt } from './tracks.ts';

export type Hit =
  | { readonly kind: 'row'; readonly row: RowIndex; readonly timeNs: number }
  | { readonly kind: 'bandwidth'; readonly direction: 'h2d' | 'd2h'; readonly rate: number; readonly timeNs: number }
  | { readonly kind: 'none'; readonly timeNs: number };

const markReachPixels = 6;
const barReachPixels = 3;

/** `x` from the plot's left edge; `y` from the top of all tracks, so scrolling is already added. */
export function hitTest(tracks: readonly Track[], view: TimeView, width: number, x: number, y: number): Hit {
  const timeNs = toTime(view, width, x);
  const track = trackAt(tracks, y);
  if (track === null) return { kind: 'none', timeNs };
  if (track.kind === 'bandwidth') {
    return { kind: 'bandwidth', direction: track.direction, rate: track.bandwidth.at(timeNs), timeNs };
  }
  const pixelNs = spanNs(view) / Math.max(width, 1);
  const mark = (): RowIndex | null => {
    for (let depth = 0; depth < track.index.markDepths; depth += 1) {
      const found = track.index.hit(timeNs, depth, markReachPixels * pixelNs, 'mark');
      if (found !== null) return found;
    }
    return null;
  };
  const bar = (): RowIndex | null => track.index.hit(timeNs, depthAt(track, y), barReachPixels * pixelNs);
  const row = y < barTop(track, 0) ? (mark() ?? bar()) : (bar() ?? mark());
  return row === null ? { kind: 'none', timeNs } : { kind: 'row', row, timeNs };
}
