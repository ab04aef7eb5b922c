/** How many bytes a second a device's link carries in each direction, as steps: what viewers draw as a counter. */
import { bandwidthSeries } from '../figures/copyBandwidth.ts';
import { iterationOf } from '../trace/iteration.ts';
import type { Trace } from '../trace/trace.ts';
import type { PlacedIteration } from './times.ts';

export interface LinkCounter {
  readonly device: string;
  readonly direction: 'h2d' | 'd2h';
  /** Whole nanoseconds on the axis of all iterations, ascending. */
  readonly timeNs: Float64Array;
  readonly bytesPerSecond: Float64Array;
}

/** The counters of one iteration: none where nothing crossed a link. */
export function linkCounters(trace: Trace, { number, beginNs }: PlacedIteration): LinkCounter[] {
  const devices = [...new Set(trace.lanes.flatMap(({ device }) => (device === '' ? [] : [device])))];
  return devices.flatMap((device) =>
    bandwidthSeries(iterationOf(trace, number), device).flatMap(({ kind, timeNs, bytesPerSecond }): LinkCounter[] => {
      if (kind !== 'h2d' && kind !== 'd2h') return [];
      return [{ device, direction: kind, timeNs: timeNs.map((time) => beginNs + Math.floor(time)), bytesPerSecond }];
    }),
  );
}

/** What a counter is called beside others of its device. */
export const linkCounterName = ({ direction }: Pick<LinkCounter, 'direction'>): string =>
  `${direction.toUpperCase()} link (bytes/s)`;
