/**
 * What holds a step: each moment of it belongs to one part. A kernel that runs counts before a copy, a copy before what the host
 * does; so copies are told as far as no kernel runs beside them, and the host as far as the device has nothing to do.
 */
import { rowDirection, rowKind } from '../trace/iteration.ts';
import { isHostMemory, memoryKinds, type RowIndex, type Trace } from '../trace/trace.ts';

export const stepParts = [
  'kernels',
  'exposed-copy-pageable',
  'exposed-copy-pinned',
  'exposed-copy-device',
  'waiting',
  'launching',
  'own-host-work',
  'gaps',
] as const;
export type StepPart = (typeof stepParts)[number];

export const partWords: Readonly<Record<StepPart, string>> = {
  kernels: 'kernels',
  'exposed-copy-pageable': 'copies of pageable memory with no kernel beside them',
  'exposed-copy-pinned': 'copies of page-locked memory with no kernel beside them',
  'exposed-copy-device': 'copies within the device with no kernel beside them',
  waiting: 'the host in waiting calls, the device idle',
  launching: 'the host issuing work, the device idle',
  'own-host-work': "the program's own host work, as loading data, the device idle",
  gaps: 'gaps',
};

export interface PartTime {
  readonly part: StepPart;
  readonly ns: number;
  /** Of the step. */
  readonly share: number;
}

/** A stretch of host time. */
export interface HostSpan {
  readonly startNs: number;
  readonly endNs: number;
  readonly part: Extract<StepPart, 'waiting' | 'launching' | 'own-host-work' | 'exposed-copy-pageable'>;
}

/** Splits the time from `fromNs` to `toNs`. The parts add up to it. */
export function splitTime(
  trace: Trace,
  rows: readonly RowIndex[],
  host: readonly HostSpan[],
  fromNs: number,
  toNs: number,
): PartTime[] {
  const edges: { ns: number; part: number; by: number }[] = [];
  const add = (startNs: number, endNs: number, part: StepPart): void => {
    const [start, end] = [Math.max(fromNs, startNs), Math.min(toNs, endNs)];
    if (!(end > start)) return;
    edges.push({ ns: start, part: stepParts.indexOf(part), by: 1 }, { ns: end, part: stepParts.indexOf(part), by: -1 });
  };
  for (const row of rows) {
    const start = trace.columns.startNs[row] ?? 0;
    add(start, start + (trace.columns.durationNs[row] ?? 0), devicePart(trace, row));
  }
  for (const { startNs, endNs, part } of host) add(startNs, endNs, part);
  return sweep(edges, fromNs, toNs);
}

function sweep(edges: { ns: number; part: number; by: number }[], fromNs: number, toNs: number): PartTime[] {
  edges.sort((a, b) => a.ns - b.ns);
  const active = new Array<number>(stepParts.length).fill(0);
  const times = new Array<number>(stepParts.length).fill(0);
  let at = fromNs;
  const spend = (untilNs: number): void => {
    const first = active.findIndex((count) => count > 0);
    const part = first < 0 ? stepParts.length - 1 : first;
    times[part] = (times[part] ?? 0) + untilNs - at;
    at = untilNs;
  };
  for (const { ns, part, by } of edges) {
    if (ns > at) spend(ns);
    active[part] = (active[part] ?? 0) + by;
  }
  spend(toNs);
  const total = toNs - fromNs;
  return stepParts.map((part, index) => ({
    part,
    ns: times[index] ?? 0,
    share: total > 0 ? (times[index] ?? 0) / total : 0,
  }));
}

function devicePart(trace: Trace, row: RowIndex): StepPart {
  if (rowKind(trace, row) !== 'copy') return 'kernels';
  const direction = rowDirection(trace, row);
  if (direction !== 'h2d' && direction !== 'd2h') return 'exposed-copy-device';
  const { srcMemory, dstMemory } = trace.columns;
  const host = memoryKinds[(direction === 'h2d' ? srcMemory[row] : dstMemory[row]) ?? 0] ?? 'unknown';
  return isHostMemory(host) && host !== 'pageable' ? 'exposed-copy-pinned' : 'exposed-copy-pageable';
}
