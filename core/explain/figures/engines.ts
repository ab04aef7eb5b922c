/**
 * Use of each copy engine, of compute, and of the link between host and device.
 *
 *   busy       = length of the union of the activities' intervals
 *   share      = busy / makespan of the iteration; for the link, / makespan of each device with such copies
 *   bandwidth  = bytes moved / busy
 */

import { groupBy } from '../../groupBy.ts';
import { length } from '../../trace/intervals.ts';
import { type Iteration, makespan, RowList, rowDevice, rowDirection, rowsOfKind } from '../../trace/iteration.ts';
import type { CopyDirection, RowIndex } from '../../trace/trace.ts';
import { rate } from '../../units.ts';
import { rowUnion, share } from './overlap.ts';

interface Use {
  readonly operations: number;
  readonly busyNs: number;
  /** For `link`, of the makespan times its used links; null if nothing was recorded. */
  readonly shareOfMakespan: number | null;
  readonly bytes: number;
  /** bytes divided by busyNs; null if nothing was moved. */
  readonly bytesPerSecond: number | null;
}

/** A copy engine or the compute lane of a device. */
export interface EngineUse extends Use {
  /** Lane id, such as 'engine:gpu:h2d'. */
  readonly lane: string;
  readonly name: string;
  readonly kind: 'copy-engine' | 'compute';
  readonly device: string;
  /** Null for compute. */
  readonly direction: CopyDirection | null;
}

/** Use of the link by direction, over all devices: every copy between host and device, on any engine. */
export interface LinkUse {
  readonly h2d: Use;
  readonly d2h: Use;
}

/** Returns one entry for each copy-engine and compute lane, including idle ones, in the order of lanes. */
export function engineUse(iteration: Iteration): EngineUse[] {
  const { lanes, columns } = iteration.trace;
  const rows = lanes.map(() => new RowList());
  for (let row = iteration.begin; row < iteration.end; row += 1) rows[columns.engine[row] ?? -1]?.push(row);
  return lanes.flatMap((lane, index) =>
    lane.kind === 'copy-engine' || lane.kind === 'compute'
      ? [
          {
            lane: lane.id,
            name: lane.name,
            kind: lane.kind,
            device: lane.device,
            direction: lane.direction ?? null,
            ...use(iteration, [rows[index]?.rows ?? []]),
          },
        ]
      : [],
  );
}

export function linkUse(iteration: Iteration): LinkUse {
  const copies = rowsOfKind(iteration, 'copy');
  const inDirection = (direction: CopyDirection): Use =>
    use(
      iteration,
      byDevice(
        iteration,
        copies.filter((row) => rowDirection(iteration.trace, row) === direction),
      ),
    );
  return { h2d: inDirection('h2d'), d2h: inDirection('d2h') };
}

/** Groups rows by device. Every device has its own link, so busy times of different devices add up. */
function byDevice(iteration: Iteration, rows: readonly RowIndex[]): RowIndex[][] {
  return [...groupBy(rows, (row) => rowDevice(iteration.trace, row)).values()];
}

function use(iteration: Iteration, groups: readonly ArrayLike<RowIndex>[]): Use {
  const busyNs = groups.reduce((sum, rows) => sum + length(rowUnion(iteration, rows)), 0);
  let moved = 0;
  for (const rows of groups) {
    for (let at = 0; at < rows.length; at += 1) moved += movedBytes(iteration, rows[at] ?? -1);
  }
  return {
    operations: groups.reduce((sum, rows) => sum + rows.length, 0),
    busyNs,
    shareOfMakespan: share(busyNs, (makespan(iteration) ?? 0) * Math.max(1, groups.length)),
    bytes: moved,
    bytesPerSecond: achievedRate(moved, busyNs),
  };
}

const movedBytes = ({ trace }: Iteration, row: RowIndex): number => trace.columns.bytes[row] ?? 0;

/** Returns bytes per second; null if nothing was moved or no time was measured. */
export const achievedRate = (moved: number, durationNs: number): number | null =>
  moved > 0 && durationNs > 0 ? rate(moved, durationNs) : null;
