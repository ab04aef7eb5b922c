/**
 * Finds what the host did while a device was idle, from the device's first activity to the end of its last. Each moment
 * counts once, for the first of these in which any thread was:
 *
 *   loading      a range of a data loader (enumerate(DataLoader)…)
 *   working      host work, reads and writes of buffers
 *   held         a copy call that returns only when data is staged or has arrived
 *   waiting      a synchronising call
 *   issuing      any other CUDA call
 *   other        none of these: the program's own code, or another process
 */
import { difference, type Intervals, intersection, length } from '../../trace/intervals.ts';
import { eachRowOfKind, type Iteration, RowList, rowDevice, rowsOfKind } from '../../trace/iteration.ts';
import type { RowIndex } from '../../trace/trace.ts';
import { holdingCalls } from './hostTime.ts';
import { rowUnion } from './overlap.ts';

export const idleCauses = ['loading', 'working', 'held', 'waiting', 'issuing', 'other'] as const;
export type IdleCause = (typeof idleCauses)[number];

export interface DeviceIdle {
  /** For example 'gpu0'. */
  readonly device: string;
  readonly causes: Readonly<Record<IdleCause, number>>;
}

const loader = /DataLoader|dataloader/;

/** Returns one entry for each device with activity, in order of its first activity. */
export function deviceIdle(iteration: Iteration): DeviceIdle[] {
  const devices = new Map<string, RowList>();
  eachRowOfKind(iteration, ['copy', 'kernel', 'memset'], (row) => {
    const device = rowDevice(iteration.trace, row);
    const list = devices.get(device) ?? new RowList();
    devices.set(device, list);
    list.push(row);
  });
  const host = hostIntervals(iteration);
  return [...devices].map(([device, { rows }]) => ({
    device,
    causes: causesOf(gaps(rowUnion(iteration, rows)), host),
  }));
}

/** Returns the gaps between the intervals. */
const gaps = (busy: Intervals): Intervals => busy.slice(1, Math.max(1, busy.length - 1));

type HostIntervals = Readonly<Record<Exclude<IdleCause, 'other'>, Intervals>>;

function hostIntervals(iteration: Iteration): HostIntervals {
  const { trace } = iteration;
  const loads = trace.names.map((name) => loader.test(name));
  const holding = holdingCalls(iteration);
  const of = (rows: readonly RowIndex[]): Intervals => rowUnion(iteration, rows);
  const ranges = loads.includes(true) ? rowsOfKind(iteration, 'host-range') : [];
  const calls = rowsOfKind(iteration, 'host-call');
  return {
    loading: of(ranges.filter((row) => loads[trace.columns.name[row] ?? -1] === true)),
    working: of(rowsOfKind(iteration, 'host-work', 'host-read', 'host-write')),
    held: of(calls.filter((row) => holding.has(row))),
    waiting: of(rowsOfKind(iteration, 'host-sync')),
    issuing: of(calls.filter((row) => !holding.has(row))),
  };
}

function causesOf(idle: Intervals, host: HostIntervals): Record<IdleCause, number> {
  const causes = { loading: 0, working: 0, held: 0, waiting: 0, issuing: 0, other: 0 };
  let left = idle;
  for (const cause of idleCauses) {
    if (cause === 'other') break;
    const own = intersection(left, host[cause]);
    causes[cause] = length(own);
    left = difference(left, own);
  }
  causes.other = length(left);
  return causes;
}
