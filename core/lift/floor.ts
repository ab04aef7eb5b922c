/**
 * What a script's step takes at least, whatever else changes: the time that its kernels, communication and copies need on
 * the busiest of what they share. Streams keep their order; kernels that ran alone have kept an order as well, and do so on.
 */
import { lowerMedian } from '../statistics.ts';
import { deviceOf } from './devices.ts';
import type { Item, LaunchItem, Script } from './script.ts';

export function floorNs({ steps }: Script): number {
  // The first step may hold what others do ahead of time.
  const typical = steps.length > 1 ? steps.slice(1) : steps;
  return lowerMedian(typical.map(({ items }) => busiestNs(items)));
}

function busiestNs(items: readonly Item[]): number {
  const times = new Map<string, number>();
  const spend = (resource: string, ns: number): void => {
    times.set(resource, (times.get(resource) ?? 0) + ns);
  };
  const shared = new Set<string>();
  const launch = (item: LaunchItem, stream: string): void => {
    spend(`stream ${stream}`, item.deviceNs);
    if (item.name === 'copy' || item.name === 'memset') return;
    const device = deviceOf(stream);
    // Beside each other they take at least as long as the longest stream of them.
    if (item.shares) shared.add(`${device} shared ${stream}`);
    spend(item.shares ? `${device} shared ${stream}` : `${device} alone`, item.deviceNs);
  };
  for (const item of items) {
    if (item.kind === 'launch') launch(item, item.stream);
    else if (item.kind === 'graph') for (const one of item.launches) launch(one, item.stream);
    else if (item.kind === 'copy') {
      spend(`stream ${item.stream}`, item.deviceNs);
      spend(`${deviceOf(item.stream)} ${item.direction}`, item.deviceNs);
    }
  }
  for (const key of shared) {
    const alone = times.get(`${key.slice(0, key.indexOf(' shared '))} alone`) ?? 0;
    spend(`with ${key}`, alone + (times.get(key) ?? 0));
  }
  return Math.max(0, ...times.values());
}
