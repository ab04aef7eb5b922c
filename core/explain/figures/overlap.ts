/**
 * Time in which two kinds of work ran at once.
 *
 * With U(x) the union of the intervals of all activities of kind x on one device, and |U| its length:
 *   busy(x)      = |U(x)|
 *   time(x, y)   = |U(x) ∩ U(y)|
 *   share of x   = time(x, y) / busy(x)
 * Each is computed per device and summed: a copy on one device doesn't overlap a kernel on another. Holistic Trace
 * Analysis computes its communication-computation overlap in the same way.
 */

import { type Intervals, intersection, length, noIntervals, unionOf } from '../../trace/intervals.ts';
import {
  eachRowOfKind,
  type Iteration,
  RowList,
  rowDevice,
  rowDirection,
  rowKind,
  rowStart,
} from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { RowIndex } from '../../trace/trace.ts';

export interface CopyKernelOverlap {
  /** Time of both at once. */
  readonly timeNs: number;
  /** timeNs divided by the time of copies in this direction; null if there were none. */
  readonly shareOfCopy: number | null;
  /** timeNs divided by the time of kernels; null if there were none. */
  readonly shareOfKernel: number | null;
}

interface DirectionOverlap {
  readonly timeNs: number;
  readonly shareOfH2d: number | null;
  readonly shareOfD2h: number | null;
}

export interface Overlap {
  readonly h2dKernel: CopyKernelOverlap;
  readonly d2hKernel: CopyKernelOverlap;
  readonly h2dD2h: DirectionOverlap;
  readonly h2dBusyNs: number;
  readonly d2hBusyNs: number;
  readonly kernelBusyNs: number;
}

/** Returns the share of all copies' time (directions counted separately) in which kernels ran; null without copies. */
export function copyOverlap({ h2dKernel, d2hKernel, h2dBusyNs, d2hBusyNs }: Overlap): number | null {
  return share(h2dKernel.timeNs + d2hKernel.timeNs, h2dBusyNs + d2hBusyNs);
}

/** Busy intervals of each kind of work on one device. */
interface DeviceBusy {
  readonly device: string;
  readonly h2d: Intervals;
  readonly d2h: Intervals;
  readonly kernel: Intervals;
}

export function overlap(iteration: Iteration): Overlap {
  const devices = deviceBusy(iteration);
  const total = (pick: (busy: DeviceBusy) => Intervals): number =>
    devices.reduce((sum, busy) => sum + length(pick(busy)), 0);
  const h2dBusyNs = total((busy) => busy.h2d);
  const d2hBusyNs = total((busy) => busy.d2h);
  const kernelBusyNs = total((busy) => busy.kernel);
  const h2dKernel = total((busy) => intersection(busy.h2d, busy.kernel));
  const d2hKernel = total((busy) => intersection(busy.d2h, busy.kernel));
  const h2dD2h = total((busy) => intersection(busy.h2d, busy.d2h));
  return {
    h2dKernel: copyKernel(h2dKernel, h2dBusyNs, kernelBusyNs),
    d2hKernel: copyKernel(d2hKernel, d2hBusyNs, kernelBusyNs),
    h2dD2h: { timeNs: h2dD2h, shareOfH2d: share(h2dD2h, h2dBusyNs), shareOfD2h: share(h2dD2h, d2hBusyNs) },
    h2dBusyNs,
    d2hBusyNs,
    kernelBusyNs,
  };
}

/** Returns the busy intervals of every device that ran a copy or a kernel. */
function deviceBusy(iteration: Iteration): DeviceBusy[] {
  const { trace } = iteration;
  const groups = new Map<string, Record<'h2d' | 'd2h' | 'kernel', RowList>>();
  eachRowOfKind(iteration, ['copy', 'kernel'], (row) => {
    const direction = rowDirection(trace, row);
    const device = rowDevice(trace, row);
    const group = groups.get(device) ?? { h2d: new RowList(), d2h: new RowList(), kernel: new RowList() };
    groups.set(device, group);
    if (rowKind(trace, row) === 'kernel') group.kernel.push(row);
    else if (direction === 'h2d' || direction === 'd2h') group[direction].push(row);
  });
  return [...groups].map(([device, group]) => ({
    device,
    h2d: rowUnion(iteration, group.h2d.rows),
    d2h: rowUnion(iteration, group.d2h.rows),
    kernel: rowUnion(iteration, group.kernel.rows),
  }));
}

/** Returns the union of the intervals of `rows`. */
export function rowUnion({ trace }: Pick<Iteration, 'trace'>, rows: ArrayLike<RowIndex>): Intervals {
  if (rows.length === 0) return noIntervals;
  return unionOf(
    rows.length,
    (at) => rowStart(trace, rows[at] ?? 0),
    (at) => rowEndNs(trace, rows[at] ?? 0),
  );
}

const copyKernel = (timeNs: number, copyNs: number, kernelNs: number): CopyKernelOverlap => ({
  timeNs,
  shareOfCopy: share(timeNs, copyNs),
  shareOfKernel: share(timeNs, kernelNs),
});

/** Returns part / whole; null if whole is 0. */
export const share = (part: number, whole: number): number | null => (whole > 0 ? part / whole : null);
