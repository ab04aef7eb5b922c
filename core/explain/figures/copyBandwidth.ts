/**
 * Bandwidth of copies and memsets over time. Every activity moves its bytes at one rate:
 *
 *   rate     = bytes / max(duration, 1 ns)
 *   series   = sum of the rates of the activities of a kind that run
 *
 * Same as Holistic Trace Analysis's memory bandwidth, which uses Kineto's rate and rounds durations of 0 up to a
 * microsecond, its smallest time. Its summary, as here, covers the points of the series above 0.
 */
import { groupBy } from '../../groupBy.ts';
import { type Spread, spread } from '../../statistics.ts';
import { length, union } from '../../trace/intervals.ts';
import {
  activity,
  type Iteration,
  rowDevice,
  rowDirection,
  rowKind,
  rowStart,
  rowsOfKind,
} from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { CopyDirection } from '../../trace/trace.ts';
import { achievedRate } from './engines.ts';
import { hostCalls } from './hostCalls.ts';

export type TransferKind = CopyDirection | 'memset' | 'unknown';

/** A step function: the bandwidth is bytesPerSecond[i] from timeNs[i] on. */
export interface BandwidthSeries {
  readonly kind: TransferKind;
  readonly timeNs: Float64Array;
  readonly bytesPerSecond: Float64Array;
}

export interface BandwidthUse {
  readonly kind: TransferKind;
  readonly operations: number;
  readonly bytes: number;
  /** Null if nothing was moved. */
  readonly bytesPerSecond: Spread | null;
}

const order: readonly TransferKind[] = ['h2d', 'd2h', 'd2d', 'h2h', 'memset', 'unknown'];

/** Returns the series of one device, or of all devices together. */
export function bandwidthSeries(iteration: Iteration, device?: string): BandwidthSeries[] {
  return transfers(iteration, device).map(({ kind, rows }) => series(iteration, kind, rows));
}

export function bandwidthUse(iteration: Iteration): BandwidthUse[] {
  const { bytes } = iteration.trace.columns;
  return transfers(iteration).map(({ kind, rows }) => ({
    kind,
    operations: rows.length,
    bytes: rows.reduce((sum, row) => sum + (bytes[row] ?? 0), 0),
    bytesPerSecond: spread([...series(iteration, kind, rows).bytesPerSecond].filter((rate) => rate > 0)),
  }));
}

function transfers(iteration: Iteration, device?: string): { kind: TransferKind; rows: number[] }[] {
  const { trace } = iteration;
  const byKind = groupBy(
    rowsOfKind(iteration, 'copy', 'memset').filter((row) => device === undefined || rowDevice(trace, row) === device),
    (row): TransferKind => (rowKind(trace, row) === 'memset' ? 'memset' : (rowDirection(trace, row) ?? 'unknown')),
  );
  return order.flatMap((kind) => {
    const rows = byKind.get(kind);
    return rows === undefined ? [] : [{ kind, rows }];
  });
}

function series({ trace }: Iteration, kind: TransferKind, rows: readonly number[]): BandwidthSeries {
  const points = rows.flatMap((row) => {
    const durationNs = Math.max(1, trace.columns.durationNs[row] ?? 0);
    const rate = ((trace.columns.bytes[row] ?? 0) / durationNs) * 1e9;
    const startNs = rowStart(trace, row);
    return [
      { timeNs: startNs, rate },
      { timeNs: startNs + durationNs, rate: -rate },
    ];
  });
  // At equal times, ends come first, so that activities that only touch never count as running together.
  points.sort((a, b) => a.timeNs - b.timeNs || a.rate - b.rate);
  const bytesPerSecond = new Float64Array(points.length);
  let [now, running] = [0, 0];
  for (const [index, { rate }] of points.entries()) {
    running += rate > 0 ? 1 : rate < 0 ? -1 : 0;
    // Avoids rounding errors in the sum: if nothing runs, the rate is 0.
    now = running === 0 ? 0 : now + rate;
    bytesPerSecond[index] = now;
  }
  return { kind, timeNs: Float64Array.from(points, ({ timeNs }) => timeNs), bytesPerSecond };
}

/**
 * Returns the rate of copies as the program sees it, including host time: a pageable copy that its engine moves at the
 * link's rate may have been staged for ten times as long before. Null if nothing was copied in this direction.
 *
 *   arrival    end of the copy; for one into pageable memory, which the driver fills, the end of its call if that is later
 *   rate       bytes / length of the union of the times from call (or start, if no call was recorded) to arrival
 */
export function deliveredRate(iteration: Iteration, direction: 'h2d' | 'd2h'): number | null {
  const { trace } = iteration;
  const copies = rowsOfKind(iteration, 'copy').filter((row) => rowDirection(trace, row) === direction);
  if (copies.length === 0) return null;
  const calls = hostCalls(iteration);
  const [starts, ends]: [number[], number[]] = [[], []];
  let bytes = 0;
  for (const row of copies) {
    const call = calls.get(row);
    const isFilled = direction === 'd2h' && activity(trace, row).dst === 'pageable' && call !== undefined;
    starts.push(call === undefined ? rowStart(trace, row) : Math.min(rowStart(trace, call), rowStart(trace, row)));
    ends.push(isFilled ? Math.max(rowEndNs(trace, row), rowEndNs(trace, call)) : rowEndNs(trace, row));
    bytes += trace.columns.bytes[row] ?? 0;
  }
  return achievedRate(bytes, length(union(starts, ends)));
}
