/** Transfers over each link. Every device has its own link, so copies of other devices don't count. */
import type { RowRange } from '../../../core/trace/rows.ts';
import type { Trace } from '../../../core/trace/trace.ts';
import { type Bandwidth, type BandwidthData, bandwidthData, copyRows } from './bandwidth.ts';

export type LinkDirection = 'h2d' | 'd2h';

interface LinkName {
  readonly direction: LinkDirection;
  /** Null if the run has one device only. */
  readonly device: string | null;
}

/** Data passed between threads. */
export interface LinkData extends LinkName {
  readonly data: BandwidthData;
}

export interface Link extends LinkName {
  readonly bandwidth: Bandwidth;
}

/** Returns a link for each direction and device; none if nothing moves. */
export function linksData(trace: Trace, range: RowRange): LinkData[] {
  const devices = [...new Set(trace.lanes.flatMap(({ device }) => (device === '' ? [] : [device])))];
  return (['h2d', 'd2h'] as const).flatMap((direction) => {
    const rows = copyRows(trace, range, direction);
    const parts =
      devices.length < 2
        ? [{ device: null, rows }]
        : devices.map((device) => ({ device, rows: rows.filter((row) => deviceOf(trace, row) === device) }));
    return parts.flatMap((part) =>
      part.rows.length === 0 ? [] : [{ direction, device: part.device, data: bandwidthData(trace, part.rows) }],
    );
  });
}

const deviceOf = ({ lanes, columns }: Trace, row: number): string | undefined =>
  lanes[columns.lane[row] as number]?.device;
