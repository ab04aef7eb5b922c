/**
 * What it took to get work from the host to the device. For each piece of work whose call was recorded:
 *
 *   host time   = duration of the call
 *   delay       = max(0, start on the device - start of the call - duration of the call)
 *
 *   short       host time <= 50 µs, and the work is over sooner than its call took
 *   slow call   host time > 50 µs
 *   late start  delay > 100 µs
 *
 * The same as Holistic Trace Analysis's launch statistics, with its limits.
 */

import { type Spread, spread } from '../statistics.ts';
import { type Iteration, rowStart } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import type { RowIndex } from '../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';

export const slowCallNs = 50_000;
export const lateStartNs = 100_000;

export interface LaunchStatistics {
  /** As 'cudaLaunchKernel'. */
  readonly hostCall: string;
  /** Pieces of work that it issued. */
  readonly operations: number;
  readonly hostNs: Spread;
  readonly deviceNs: Spread;
  readonly delayNs: Spread;
  readonly short: number;
  readonly slowCalls: number;
  readonly lateStarts: number;
}

interface Launches {
  readonly hostNs: number[];
  readonly deviceNs: number[];
  readonly delayNs: number[];
}

/** One entry for each CUDA call that issued work, the most frequent first. */
export function launchStatistics(iteration: Iteration): LaunchStatistics[] {
  const { trace } = iteration;
  const byName = new Map<number, Launches>();
  for (const [row, call] of hostCalls(iteration)) {
    const name = trace.columns.name[call] ?? -1;
    const launches = byName.get(name) ?? { hostNs: [], deviceNs: [], delayNs: [] };
    byName.set(name, launches);
    const durationOf = (of: RowIndex): number => trace.columns.durationNs[of] ?? 0;
    launches.hostNs.push(durationOf(call));
    launches.deviceNs.push(durationOf(row));
    launches.delayNs.push(Math.max(0, rowStart(trace, row) - rowEndNs(trace, call)));
  }
  const all = [...byName].flatMap(([name, launches]) => statistics(trace.names[name] ?? '', launches) ?? []);
  return all.sort((a, b) => b.operations - a.operations);
}

function statistics(hostCall: string, { hostNs, deviceNs, delayNs }: Launches): LaunchStatistics | null {
  const [host, device, delay] = [spread(hostNs), spread(deviceNs), spread(delayNs)];
  if (host === null || device === null || delay === null) return null;
  return {
    hostCall,
    operations: hostNs.length,
    hostNs: host,
    deviceNs: device,
    delayNs: delay,
    short: hostNs.filter((time, index) => time <= slowCallNs && (deviceNs[index] ?? 0) < time).length,
    slowCalls: hostNs.filter((time) => time > slowCallNs).length,
    lateStarts: delayNs.filter((time) => time > lateStartNs).length,
  };
}
