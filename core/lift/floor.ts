/**
 * Minimum time of a script's step: kernels, communication and copies on the busiest shared resource. A stream runs one
 * operation at a time, a link one copy per direction, and streams that wait for each other count as one.
 */
import { lowerMedian } from '../statistics.ts';
import { deviceOf } from './devices.ts';
import type { Item, Script } from './script.ts';

export function floorNs({ steps, inTurn }: Script): number {
  // The first step may contain work that others do ahead of time.
  const typical = steps.length > 1 ? steps.slice(1) : steps;
  return lowerMedian(typical.map(({ items }) => busiestNs(items, inTurn)));
}

function busiestNs(items: readonly Item[], inTurn: Script['inTurn']): number {
  const streams = new Map<string, number>();
  const links = new Map<string, number>();
  const kernels = new Map<string, number>();
  const spend = (times: Map<string, number>, on: string, ns: number): void => {
    times.set(on, (times.get(on) ?? 0) + ns);
  };
  const launch = (stream: string, ns: number): void => {
    spend(streams, stream, ns);
    spend(kernels, stream, ns);
  };
  for (const item of items) {
    if (item.kind === 'launch') launch(item.stream, item.deviceNs);
    else if (item.kind === 'graph') for (const { deviceNs } of item.launches) launch(item.stream, deviceNs);
    else if (item.kind === 'copy') {
      spend(streams, item.stream, item.deviceNs);
      spend(links, `${deviceOf(item.stream)} ${item.direction}`, item.deviceNs);
    }
  }
  const together = inTurn.map((group) => group.reduce((sum, stream) => sum + (kernels.get(stream) ?? 0), 0));
  return Math.max(0, ...streams.values(), ...links.values(), ...together);
}
