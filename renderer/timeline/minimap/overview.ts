/** How busy each lane was over the whole run, in columns of pixels: what the minimap is drawn from. */
import type { LaneIndex } from '../../../core/trace/laneIndex.ts';
import { Shapes } from '../../../core/trace/shapes.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { type PaintCode, paintCode } from '../../common/paintCodes.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';
import { spanNs, type TimeView } from '../time/timeView.ts';

export interface OverviewRow {
  /** Of each column: the share of its time in which the lane was busy. */
  readonly shares: Float64Array;
  /** What took longest in it. */
  readonly paints: Uint8Array;
}

/** A row for each lane that did work on a device; where none is recorded, for each stream, or else host thread. */
export function overviewRows(view: IterationView, shown: TimeView, columns: number): OverviewRow[] {
  const { trace } = view.run;
  const ofKind = (...kinds: readonly string[]): LaneIndex[] =>
    trace.lanes.flatMap(({ kind }, number) => {
      const index = view.lanes[number];
      return kinds.includes(kind) && index !== undefined && index.depths > 0 ? [index] : [];
    });
  const lanes = [ofKind('copy-engine', 'compute'), ofKind('stream'), ofKind('host-thread')].find(
    (found) => found.length > 0,
  );
  return (lanes ?? []).map((index) => busyColumns(index, (row) => paintCode(trace, row), shown, columns));
}

/** The outermost bars of a lane: they cover what lies within them. */
export function busyColumns(
  index: LaneIndex,
  paintOf: (row: RowIndex) => PaintCode,
  shown: TimeView,
  columns: number,
): OverviewRow {
  const shares = new Float64Array(columns);
  const paints = new Uint8Array(columns);
  const most = new Float64Array(columns);
  const shapes = new Shapes();
  const perNs = columns / spanNs(shown);
  index.fill(shapes, 'bar', 0, shown.startNs, shown.endNs, columns);
  for (let at = 0; at < shapes.length; at += 1) {
    const from = ((shapes.startNs[at] as number) - shown.startNs) * perNs;
    const to = ((shapes.endNs[at] as number) - shown.startNs) * perNs;
    // Of a block of short rows the busy time is spread evenly over it.
    const density = to > from ? ((shapes.busyNs[at] as number) * perNs) / (to - from) : 0;
    const paint = paintOf(shapes.row[at] as number);
    for (let x = Math.max(Math.floor(from), 0); x < columns && x < to; x += 1) {
      const part = density * (Math.min(to, x + 1) - Math.max(from, x));
      shares[x] = Math.min((shares[x] as number) + part, 1);
      if (part > (most[x] as number)) [most[x], paints[x]] = [part, paint];
    }
  }
  return { shares, paints };
}
