/** A selected time range: how busy each lane was in it, and the bytes moved. */
import { useMemo } from 'react';
import { formatBytes, formatDuration, formatRate, formatShare } from '../../core/units.ts';
import type { LoadedRun } from '../store/opened/loadedRun.ts';
import { useApp } from '../store/store.ts';
import { areaSummary } from '../timeline/rows/areaSummary.ts';
import { areaTable } from '../timeline/rows/areaTable.ts';
import { AreaTable } from './AreaTable.tsx';
import { Block, Fact, Facts, SelectionHeading, ShareBar } from './Facts.tsx';

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
