/**
 * Use of each device's time, from its first activity to the end of its last. With U(x) the union of the intervals of all
 * activities of kind x, over all streams of the device:
 *
 *   total           = last end - first start
 *   idle            = total - |U(all)|
 *   compute         = |U(kernels that compute)|
 *   non-compute     = total - compute - idle: only copies, memsets or communication ran
 *   communication   = |U(communication kernels)|, copies = |U(copies and memsets)|
 *   communication overlapped by compute = |U(communication) ∩ U(compute)| / |U(communication)|
 *
 * Same as Holistic Trace Analysis's temporal breakdown and communication-computation overlap.
 */

import { type Intervals, intersection, length, unionOf } from '../../trace/intervals.ts';
import { eachRowOfKind, type Iteration, RowList, rowDevice, rowKind, rowStart } from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import { rowUnion, share } from './overlap.ts';

export interface TemporalBreakdown {
  /** For example 'gpu0'. */
  readonly device: string;
  /** From the first to the last activity. */
  readonly totalNs: number;
  readonly idleNs: number;
  /** Kernels other than NCCL's. */
  readonly computeNs: number;
  readonly nonComputeNs: number;
  readonly communicationNs: number;
  readonly copyNs: number;
  /** Share of communicationNs with a computing kernel; null without communication. */
  readonly communicationBesideCompute: number | null;
}

/** NCCL's kernels: ncclKernel… before NCCL 2.17, ncclDevKernel… since. */
const communication = /^nccl(Dev)?Kernel/;

export const isCommunication = (kernel: string): boolean => communication.test(kernel);

interface DeviceRows {
  readonly compute: RowList;
  readonly communication: RowList;
  readonly copy: RowList;
}

/** Returns one entry for each device with activity, in order of its first activity. */
export function temporalBreakdown(iteration: Iteration): TemporalBreakdown[] {
  return [...rowsByDevice(iteration)].map(([device, rows]) => breakdown(iteration, device, rows));
}

function rowsByDevice(iteration: Iteration): Map<string, DeviceRows> {
  const { trace } = iteration;
  const communicates = trace.names.map(isCommunication);
  const devices = new Map<string, DeviceRows>();
  eachRowOfKind(iteration, ['copy', 'kernel', 'memset'], (row) => {
    const device = rowDevice(trace, row);
    const rows = devices.get(device) ?? { compute: new RowList(), communication: new RowList(), copy: new RowList() };
    devices.set(device, rows);
    if (rowKind(trace, row) !== 'kernel') rows.copy.push(row);
    else if (communicates[trace.columns.name[row] ?? -1] === true) rows.communication.push(row);
    else rows.compute.push(row);
  });
  return devices;
}

function breakdown(iteration: Iteration, device: string, rows: DeviceRows): TemporalBreakdown {
  const { trace } = iteration;
  let [first, last] = [Number.POSITIVE_INFINITY, 0];
  for (const { rows: part } of [rows.compute, rows.communication, rows.copy]) {
    for (const row of part) {
      first = Math.min(first, rowStart(trace, row));
      last = Math.max(last, rowEndNs(trace, row));
    }
  }
  const totalNs = last - first;
  const compute: Intervals = rowUnion(iteration, rows.compute.rows);
  const communicating = rowUnion(iteration, rows.communication.rows);
  const copying = rowUnion(iteration, rows.copy.rows);
  const parts = [compute, communicating, copying].flatMap((one) => [...one]);
  const busyNs = length(
    unionOf(
      parts.length / 2,
      (at) => parts[2 * at] ?? 0,
      (at) => parts[2 * at + 1] ?? 0,
    ),
  );
  const [computeNs, communicationNs] = [length(compute), length(communicating)];
  return {
    device,
    totalNs,
    idleNs: totalNs - busyNs,
    computeNs,
    nonComputeNs: busyNs - computeNs,
    communicationNs,
    copyNs: length(copying),
    communicationBesideCompute: share(length(intersection(communicating, compute)), communicationNs),
  };
}
