/** Busy shares of each lane over the whole run by pixel column, from which the minimap is drawn. */
import type { LaneIndex } from '../../../core/trace/laneIndex.ts';
import { Shapes } from '../../../core/trace/shapes.ts';
import type { RowIndex } from '../../../core/trace/trace.ts';
import { type PaintCode, paintCode } from '../../common/palette.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';
import { spanNs, type TimeView } from '../time/timeView.ts';

export interface OverviewRow {
  /** Busy share of the lane in each column. */
  readonly shares: Float64Array;
  /** Paint of the longest activity in each column. */
  readonly paints: Uint8Array;
}

/** Returns a row for each lane with device work; without any, for each stream, or else host thread. */
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

/** Returns the outermost bars of a lane, which cover those inside. */
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
    // Spreads the busy time of a block of short rows evenly.
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
