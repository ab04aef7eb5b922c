/**
 * Time from the host to the device, for each piece of work whose call was recorded. Same as Holistic Trace Analysis's
 * launch statistics, with its limits.
 */

import { type Spread, spread } from '../../statistics.ts';
import { type Iteration, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { hostCalls } from './hostCalls.ts';

export const slowCallNs = 50_000;
export const lateStartNs = 100_000;

export interface LaunchStatistics {
  /** For example 'cudaLaunchKernel'. */
  readonly hostCall: string;
  /** Activities issued. */
  readonly operations: number;
  /** The call. */
  readonly hostNs: Spread;
  /** The work. */
  readonly deviceNs: Spread;
  /** Between the two, at least 0. */
  readonly delayNs: Spread;
  /** Work shorter than its call of at most 50 µs. */
  readonly short: number;
  /** Over 50 µs. */
  readonly slowCalls: number;
  /** Delays over 100 µs. */
  readonly lateStarts: number;
}

interface Launches {
  readonly hostNs: number[];
  readonly deviceNs: number[];
  readonly delayNs: number[];
}

/** Returns one entry for each CUDA call that issued work, the most frequent first. */
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
