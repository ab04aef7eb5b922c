/** A selected time range: how busy each lane was in it, and the bytes moved. */
import { useMemo } from 'react';
import { rowEndNs } from '../../core/trace/rows.ts';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../core/units.ts';
import type { IterationView, LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { areaTable } from '../timeline/rows/areaTable.ts';
import { AreaTable } from './AreaTable.tsx';
import { Block, Fact, Facts, SelectionHeading, ShareBar } from './Facts.tsx';

/** Sums over a time range, from the lanes' indices. */
interface AreaSummary {
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

interface Props {
  readonly run: LoadedRun;
  readonly area: { readonly startNs: number; readonly endNs: number };
}

export function AreaDetails({ run, area }: Props) {
  const iteration = useApp((state) => state.iteration);
  const view = run.view(iteration);
  const { startNs, endNs } = area;
  const summary = useMemo(() => areaSummary(view, startNs, endNs), [view, startNs, endNs]);
  const table = useMemo(() => areaTable(view, startNs, endNs), [view, startNs, endNs]);
  const span = area.endNs - area.startNs;
  return (
    <>
      <SelectionHeading kind="Stretch of time">{formatDuration(span)}</SelectionHeading>
      <Block title="Where">
        <Facts>
          <Fact name="From">{formatDuration(area.startNs)}</Fact>
          <Fact name="To">{formatDuration(area.endNs)}</Fact>
          <Fact name="Activities">{summary.activities}</Fact>
        </Facts>
      </Block>
      {table.length === 0 ? null : (
        <Block title="By name">
          <AreaTable run={run} rows={table} />
        </Block>
      )}
      <Block title="Busy">
        <Facts>
          {summary.lanes.map((lane) => (
            <Fact key={lane.id} name={lane.name}>
              <ShareBar share={span > 0 ? lane.busyNs / span : 0} /> {formatShare(span > 0 ? lane.busyNs / span : 0)}
              <small>{formatDuration(lane.busyNs)}</small>
            </Fact>
          ))}
        </Facts>
      </Block>
      {summary.moved.length === 0 ? null : (
        <Block title="Moved">
          <Facts>
            {summary.moved.map(({ direction, bytes }) => (
              <Fact key={direction} name={direction.toUpperCase()}>
                {formatBytes(bytes)}
                <small>{formatRate((bytes / span) * 1e9)} over the stretch</small>
              </Fact>
            ))}
          </Facts>
        </Block>
      )}
    </>
  );
}
