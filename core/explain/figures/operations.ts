/**
 * The operations of one iteration, one entry per execution: where, when, how fast, and their cost on the host. An
 * operation that ran on the device has its device activity, one that only ran on the host its host row.
 */

import { type Activity, activity, type Iteration } from '../../trace/iteration.ts';
import {
  type CopyDirection,
  isHostMemory,
  type MemoryKind,
  type RowIndex,
  type RowKind,
  rowKinds,
} from '../../trace/trace.ts';
import { achievedRate } from './engines.ts';
import { hostCalls } from './hostCalls.ts';

/**
 * Returns the bytes per second that a copy of `bytes` bytes can reach alone, from a device profile; null if the profile
 * lacks it. `memory` is the host side's kind; 'device' for a device-to-device copy.
 */
export type AttainableBandwidth = (direction: CopyDirection, memory: MemoryKind, bytes: number) => number | null;

export interface OperationRow {
  /** -1 if the trace doesn't come from an experiment. */
  readonly op: number;
  /** Null if the trace doesn't come from an experiment. */
  readonly id: string | null;
  /** 0 for the first execution. */
  readonly occurrence: number;
  readonly kind: RowKind;
  /** The experiment's; else `name`. */
  readonly label: string;
  /** CUDA call or kernel. */
  readonly name: string;
  /** Stream, or host thread. */
  readonly lane: string;
  /** Null if there is none. */
  readonly engine: string | null;
  /** From the iteration's start. */
  readonly startNs: number;
  readonly durationNs: number;
  readonly bytes: number;
  readonly direction: CopyDirection | null;
  readonly srcMemory: MemoryKind;
  readonly dstMemory: MemoryKind;
  /** Call that issued it; null if it wasn't recorded, or the row itself is the call. */
  readonly hostCall: string | null;
  readonly hostCallStartNs: number | null;
  readonly hostCallNs: number | null;
  /** bytes divided by durationNs, for copies. */
  readonly bytesPerSecond: number | null;
  /** Rate of this copy alone; null without a profile. */
  readonly attainableBytesPerSecond: number | null;
}

export interface OperationOptions {
  /** Only this operation. */
  readonly op?: number | undefined;
  /** Returns id and label of an operation, if the trace comes from an experiment. */
  readonly info?: ((op: number) => { readonly id: string; readonly label: string } | undefined) | undefined;
  readonly attainable?: AttainableBandwidth | undefined;
}

/** Yields operations in order of start, one by one, because there can be millions. */
export function* eachOperation(iteration: Iteration, options: OperationOptions = {}): Generator<OperationRow> {
  const calls = hostCalls(iteration);
  const { op } = iteration.trace.columns;
  const occurrences = new Map<number, number>();
  for (let row = iteration.begin; row < iteration.end; row += 1) {
    if ((options.op !== undefined && op[row] !== options.op) || calls.isJoined(row)) continue;
    const one = activity(iteration.trace, row);
    const key = one.op * rowKinds.length + (iteration.trace.columns.kind[row] ?? 0);
    const occurrence = occurrences.get(key) ?? 0;
    occurrences.set(key, occurrence + 1);
    yield operationRow(iteration, one, occurrence, calls.get(row), options);
  }
}

export const operationRows = (iteration: Iteration, options: OperationOptions = {}): OperationRow[] => [
  ...eachOperation(iteration, options),
];

function operationRow(
  { trace }: Iteration,
  one: Activity,
  occurrence: number,
  callRow: RowIndex | undefined,
  { info, attainable }: OperationOptions,
): OperationRow {
  const known = info?.(one.op);
  const call = callRow === undefined ? null : activity(trace, callRow);
  const durationNs = one.endNs - one.startNs;
  const { direction } = one;
  return {
    op: one.op,
    id: known?.id ?? null,
    occurrence,
    kind: one.kind,
    label: known?.label ?? one.name,
    name: one.name,
    lane: one.laneId,
    engine: trace.lanes[one.engine]?.id ?? null,
    startNs: one.startNs,
    durationNs,
    bytes: one.bytes,
    direction,
    srcMemory: one.src,
    dstMemory: one.dst,
    hostCall: call?.name ?? null,
    hostCallStartNs: call?.startNs ?? null,
    hostCallNs: call === null ? null : call.endNs - call.startNs,
    bytesPerSecond: one.kind === 'copy' ? achievedRate(one.bytes, durationNs) : null,
    attainableBytesPerSecond: direction === null ? null : (attainable?.(direction, hostSide(one), one.bytes) ?? null),
  };
}

/** Returns the memory kind that decides a copy's speed: the slower host side, or device. */
function hostSide(copy: Activity): MemoryKind {
  const sides = [copy.src, copy.dst].filter(isHostMemory);
  return sides.find((memory) => memory === 'pageable') ?? sides[0] ?? 'device';
}
