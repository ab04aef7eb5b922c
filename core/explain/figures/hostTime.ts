/**
 * Time of each host thread by class. A class is the length of the union of its rows' intervals, without the time of
 * earlier classes in this order: blocked in synchronise, working, held by a copy, issuing. A multi-tensor copy is one
 * call, in which the thread also works and waits.
 */

import { length } from '../../trace/intervals.ts';
import { type Activity, activity, type Iteration, makespan, rowKind, rowsOfKind } from '../../trace/iteration.ts';
import { isHostMemory, memoryKinds, type RowIndex, rowKinds } from '../../trace/trace.ts';
import { KiB } from '../../units.ts';
import { hostCalls } from './hostCalls.ts';
import { rowUnion } from './overlap.ts';

export interface HostTime {
  /** Lane id, such as 'thread:main'. */
  readonly lane: string;
  readonly name: string;
  /** Calls that return at once. */
  readonly issuingNs: number;
  /** Copy calls that return late: pageable above 64 KB, h2h, cudaMemcpy except d2d. */
  readonly heldByCopyNs: number;
  readonly blockedInSynchronizeNs: number;
  /** Host work, reads, writes. */
  readonly workingNs: number;
  /** Rest of the makespan. */
  readonly otherNs: number;
  readonly calls: number;
}

/** Limit for host-to-device copies from pageable memory in the command buffer (rule small-pageable-copy). */
const commandBufferBytes = 64 * KiB;

/** Returns whether a copy's call returns only after data was staged or has arrived, whatever the call is. */
export function holdsHost(copy: Activity): boolean {
  if (copy.direction === 'h2h') return true;
  if (copy.src === 'pageable') return copy.bytes > commandBufferBytes;
  return copy.dst === 'pageable';
}

/** Returns whether this call is held by its copy. */
export const isHeldBy = (copy: Activity, call: Activity): boolean =>
  holdsHost(copy) || (isBlockingMemcpy(call.name) && copy.direction !== 'd2d');

/** Returns one entry for each host-thread lane of the trace. */
export function hostTimes(iteration: Iteration): HostTime[] {
  const { trace } = iteration;
  const span = makespan(iteration) ?? 0;
  const holding = holdingCalls(iteration);
  const onLane = trace.lanes.map((): RowIndex[] => []);
  for (const row of rowsOfKind(iteration, 'host-call', 'host-sync', 'host-work', 'host-read', 'host-write')) {
    onLane[trace.columns.lane[row] ?? -1]?.push(row);
  }
  return trace.lanes.flatMap((lane, index) => {
    if (lane.kind !== 'host-thread') return [];
    const rows = onLane[index] ?? [];
    const time = (fits: (row: RowIndex) => boolean): number => length(rowUnion(iteration, rows.filter(fits)));
    const isCall = (row: RowIndex): boolean => rowKind(trace, row) === 'host-call';
    const isSync = (row: RowIndex): boolean => rowKind(trace, row) === 'host-sync';
    // Each of these includes the classes before it.
    const blockedNs = time(isSync);
    const workingNs = time((row) => !isCall(row));
    const heldNs = time((row) => !isCall(row) || holding.has(row));
    const allNs = time(() => true);
    return [
      {
        lane: lane.id,
        name: lane.name,
        issuingNs: allNs - heldNs,
        heldByCopyNs: heldNs - workingNs,
        blockedInSynchronizeNs: blockedNs,
        workingNs: workingNs - blockedNs,
        otherNs: Math.max(0, span - allNs),
        calls: rows.filter(isCall).length,
      },
    ];
  });
}

/** Returns the calls of copies that block the host. */
export function holdingCalls(iteration: Iteration): ReadonlySet<RowIndex> {
  const calls = new Set<RowIndex>();
  if (!mayHold(iteration)) return calls;
  for (const [row, call] of hostCalls(iteration)) {
    if (rowKind(iteration.trace, row) !== 'copy') continue;
    if (isHeldBy(activity(iteration.trace, row), activity(iteration.trace, call))) calls.add(call);
  }
  return calls;
}

/** Joining every call costs far more than finding out that no copy can have held one. */
function mayHold({ trace, begin, end }: Iteration): boolean {
  const { kind, srcMemory, dstMemory, bytes } = trace.columns;
  if (trace.names.some(isBlockingMemcpy) || trace.lanes.some((lane) => lane.direction === 'h2h')) return true;
  for (let row = begin; row < end; row += 1) {
    if (kind[row] !== copyCode) continue;
    const [src, dst] = [srcMemory[row] ?? 0, dstMemory[row] ?? 0];
    if (dst === pageableCode || (src === pageableCode && (bytes[row] ?? 0) > commandBufferBytes)) return true;
    if (onHost[src] === 1 && onHost[dst] === 1) return true;
  }
  return false;
}

const copyCode = rowKinds.indexOf('copy');
const pageableCode = memoryKinds.indexOf('pageable');
const onHost = Uint8Array.from(memoryKinds, (memory) => (isHostMemory(memory) ? 1 : 0));

/** Returns whether it is cudaMemcpy itself, not an asynchronous form. */
export const isBlockingMemcpy = (call: string): boolean => call === 'cudaMemcpy';
