/** Sums over a time range, from the lanes' indices. */
import { rowEndNs } from '../../../core/trace/rows.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';

export interface AreaSummary {
  /** Number of rows with a part in the time range. */
  readonly activities: number;
  readonly lanes: readonly { readonly id: string; readonly name: string; readonly busyNs: number }[];
  /** Directions in which bytes moved. */
  readonly moved: readonly { readonly direction: 'h2d' | 'd2h'; readonly bytes: number }[];
}

export function areaSummary(view: IterationView, startNs: number, endNs: number): AreaSummary {
  const { trace } = view.run;
  let activities = 0;
  for (let row = view.rows.from; row < view.rows.to; row += 1) {
    if ((trace.columns.startNs[row] ?? 0) < endNs && rowEndNs(trace, row) > startNs) activities += 1;
  }
  const lanes = trace.lanes.flatMap((lane, number) => {
    // The outermost depth covers everything inside.
    const busyNs = view.lanes[number]?.busyNs(0, startNs, endNs) ?? 0;
    return busyNs > 0 ? [{ id: lane.id, name: lane.name, busyNs }] : [];
  });
  const moved = (['h2d', 'd2h'] as const).flatMap((direction) => {
    const links = view.links.filter((link) => link.direction === direction);
    const bytes = links.reduce(
      (sum, { bandwidth }) => sum + bandwidth.movedBefore(endNs) - bandwidth.movedBefore(startNs),
      0,
    );
    return bytes > 0.5 ? [{ direction, bytes: Math.round(bytes) }] : [];
  });
  return { activities, lanes, moved };
}
