/** Data of one iteration that verdicts use, prepared once. */

import { groupBy } from '../../groupBy.ts';
import { lowerBound } from '../../lowerBound.ts';
import type { ProgramStream } from '../../program/program.ts';
import type { Intervals } from '../../trace/intervals.ts';
import {
  type Activity,
  activity,
  eachRowOfKind,
  type Iteration,
  RowList,
  rowDevice,
  rowStart,
  rowsOfKind,
} from '../../trace/iteration.ts';
import { rowEndNs } from '../../trace/rows.ts';
import type { DeviceInfo } from '../../trace/run.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';
import { MiB } from '../../units.ts';
import { CallStacks } from '../figures/callStacks.ts';
import { type HostCalls, hostCalls } from '../figures/hostCalls.ts';
import { LaneSpans } from '../figures/laneSpans.ts';
import type { AttainableBandwidth } from '../figures/operations.ts';
import { rowUnion } from '../figures/overlap.ts';
import { defaultQueueDepth } from '../figures/queue.ts';
import { DeviceOrder, type OrderRule, orderRules } from '../order/deviceOrder.ts';
import type { ProgramFacts } from './facts.ts';
import { type IssueOrder, issueOrder } from './issue.ts';
import { StreamQueues } from './queues.ts';

export interface Kernels {
  /** Sorted by start. */
  readonly rows: Int32Array;
  /** Returns the kernel at an index of `rows`, if there is one. */
  readonly at: (place: number) => Activity | undefined;
  /** Returns the index of the first kernel that starts at or after a time. */
  readonly firstFrom: (timeNs: number) => number;
  /** Latest end of all kernels up to the end of each block of `kernelsPerBlock`. */
  readonly reachedEnd: Float64Array;
  /** Latest end, shortest and longest duration in each block. */
  readonly blockEnd: Float64Array;
  readonly blockShortest: Float64Array;
  readonly blockLongest: Float64Array;
  readonly span: (place: number) => Span;
  readonly busy: Intervals;
}

export interface Scene {
  readonly iteration: Iteration;
  readonly facts: ProgramFacts;
  readonly copies: readonly Activity[];
  /** By device. */
  readonly kernels: ReadonlyMap<string, Kernels>;
  /** Returns the call that issued an activity; null if the trace lacks it. */
  readonly callOf: (one: Activity) => Activity | null;
  readonly calls: HostCalls;
  /** Copy issued by a call, by the call's row. */
  readonly copyOfCall: ReadonlyMap<RowIndex, Activity>;
  /** Whether any host thread did anything. */
  readonly hasThreads: boolean;
  /** Number of rows of PyTorch's own time before each call. */
  readonly ownRows: number;
  /** Returns the rows of a host thread, by lane index, without ranges. */
  readonly thread: (lane: number) => LaneSpans;
  /** Number of the device's copy engines; null if unknown. With one, both directions share it. */
  readonly copyEngines: number | null;
  /** Returns the copies on the copy engine of this copy. */
  readonly engineOf: (copy: Activity) => LaneSpans | undefined;
  /** Returns the copies in the queue of this copy's channel, in order. */
  readonly copyQueue: (copy: Activity) => readonly Activity[];
  /** Returns kernels, memsets and copies of a compute lane. */
  readonly compute: (lane: number) => LaneSpans;
  /** Returns the kernels of a device that work on mapped memory. */
  readonly mapped: (device: string) => LaneSpans;
  /** Call stack of each call, if the trace has them. */
  readonly stacks: CallStacks;
  readonly queues: StreamQueues;
  /** Computed on first use, like the orders. */
  readonly issue: IssueOrder;
  /** Returns the order by these rules alone, in addition to the order within each stream. */
  readonly orderBy: (...rules: OrderRule[]) => DeviceOrder;
  readonly byAll: DeviceOrder;
  /** Returns the bytes per second that the copy's direction reaches with pinned memory. */
  readonly linkRate: (copy: Activity) => number;
}

export const kernelsPerBlock = 64;
const none = new Float64Array(0);
export const noKernels: Kernels = {
  rows: new Int32Array(0),
  at: () => undefined,
  firstFrom: () => 0,
  reachedEnd: none,
  blockEnd: none,
  blockShortest: none,
  blockLongest: none,
  span: () => ({ startNs: 0, endNs: 0 }),
  busy: none,
};

/** Known facts of the device: the device, and how many operations a stream holds before a call blocks. */
export interface KnownDevice {
  readonly queueDepth?: number | undefined;
  readonly device?: DeviceInfo | null | undefined;
  /** Rates of copies alone, as the machine's profile has them. */
  readonly attainable?: AttainableBandwidth | undefined;
}

export function buildScene(iteration: Iteration, facts: ProgramFacts, known: KnownDevice): Scene {
  const { trace } = iteration;
  const copies = rowsOfKind(iteration, 'copy').map((row) => activity(trace, row));
  const kernels = kernelsByDevice(iteration);
  const calls = hostCalls(iteration);
  const issue = onceEach((_: null) => issueOrder(iteration, facts.program));
  const orderBy = onceEach((_: null) => orders(issue(null), facts.program?.streams ?? []));
  const copyEngines = known.device?.asyncEngineCount ?? null;
  const engines = spansBy(
    trace,
    copies.filter(({ engineKind }) => engineKind === 'copy-engine'),
    ({ engine, device }) => (copyEngines === 1 ? device : engine),
  );
  return {
    iteration,
    facts,
    copies,
    kernels,
    callOf: (one) => {
      const call = calls.get(one.row);
      return call === undefined ? null : activity(trace, call);
    },
    calls,
    copyOfCall: new Map(copies.map((copy) => [calls.get(copy.row) ?? -1, copy])),
    hasThreads: hasThreads(iteration),
    ownRows: facts.program?.frontend === 'pytorch' ? 1 : 0,
    thread: onceEach((lane) => threadSpans(iteration, lane)),
    copyEngines,
    engineOf: ({ engine, device }) => engines.get(copyEngines === 1 ? device : engine),
    copyQueue: copyQueues(copies),
    compute: onceEach((lane) => computeSpans(iteration, lane)),
    mapped: onceEach((device) => {
      const rows = kernels.get(device)?.rows.filter((row) => facts.mapped(trace.columns.op[row] ?? -1) !== null);
      return new LaneSpans(trace, rows ?? []);
    }),
    stacks: new CallStacks(iteration),
    queues: new StreamQueues(iteration, known.queueDepth ?? defaultQueueDepth),
    get issue() {
      return issue(null);
    },
    orderBy: (...rules) => orderBy(null)(...rules),
    get byAll() {
      return orderBy(null)(...orderRules);
    },
    linkRate: linkRates(copies, known.device ?? null, known.attainable),
  };
}

/** Computes each order on first use. Rules that don't apply to this work are dropped, since they change no order. */
function orders(issue: IssueOrder, streams: readonly ProgramStream[]): Scene['orderBy'] {
  const applies: Readonly<Record<OrderRule, boolean>> = {
    events: issue.waits.length > 0,
    legacy: issue.legacyWork.length > 0,
    launches: issue.launchWork.length > 0,
    alone: issue.aloneWork.length > 0,
  };
  const made = onceEach((rules: string) => new DeviceOrder(issue.issued, streams, rules.split(' ') as OrderRule[]));
  return (...rules) => made(orderRules.filter((rule) => applies[rule] && rules.includes(rule)).join(' '));
}

/** Groups the copies on first use, since most runs never need it. */
function copyQueues(copies: readonly Activity[]): Scene['copyQueue'] {
  const queueOf = ({ device, channel }: Activity): string => `${channel} ${device}`;
  let queues: ReadonlyMap<string, readonly Activity[]> | null = null;
  return (copy) => {
    queues ??= groupBy(
      copies.filter(({ engineKind }) => engineKind === 'copy-engine'),
      queueOf,
    );
    return queues.get(queueOf(copy)) ?? [];
  };
}

const computeSpans = (iteration: Iteration, lane: number): LaneSpans =>
  new LaneSpans(
    iteration.trace,
    rowsOfKind(iteration, 'kernel', 'memset', 'copy').filter((row) => iteration.trace.columns.engine[row] === lane),
  );

/** Caches results. Most runs never need them, and a large run has a million rows in one. */
function onceEach<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const made = new Map<Key, Value>();
  return (key) => {
    const value = made.get(key) ?? make(key);
    made.set(key, value);
    return value;
  };
}

const onThread = ['host-call', 'host-sync', 'host-work', 'host-read', 'host-write'] as const;
const isOnThread = Uint8Array.from(rowKinds, (kind) => (onThread.some((one) => one === kind) ? 1 : 0));

function hasThreads({ trace, begin, end }: Iteration): boolean {
  for (let row = begin; row < end; row += 1) if (isOnThread[trace.columns.kind[row] as number] === 1) return true;
  return false;
}

const threadSpans = (iteration: Iteration, lane: number): LaneSpans =>
  new LaneSpans(
    iteration.trace,
    rowsOfKind(iteration, ...onThread).filter((row) => iteration.trace.columns.lane[row] === lane),
  );

function kernelsByDevice(iteration: Iteration): Map<string, Kernels> {
  const { trace } = iteration;
  const groups = new Map<string, RowList>();
  eachRowOfKind(iteration, ['kernel'], (row) => {
    const device = rowDevice(trace, row);
    const list = groups.get(device) ?? new RowList();
    groups.set(device, list);
    list.push(row);
  });
  return new Map([...groups].map(([device, { rows }]) => [device, group(trace, rows)]));
}

function group(trace: Trace, rows: Int32Array): Kernels {
  const blocks = Math.ceil(rows.length / kernelsPerBlock);
  const reachedEnd = new Float64Array(blocks);
  const blockEnd = new Float64Array(blocks);
  const blockShortest = new Float64Array(blocks).fill(Number.POSITIVE_INFINITY);
  const blockLongest = new Float64Array(blocks);
  let latest = 0;
  for (const [index, row] of rows.entries()) {
    const endNs = rowEndNs(trace, row);
    const block = Math.floor(index / kernelsPerBlock);
    latest = Math.max(latest, endNs);
    reachedEnd[block] = latest;
    blockEnd[block] = Math.max(blockEnd[block] ?? 0, endNs);
    const durationNs = endNs - rowStart(trace, row);
    blockShortest[block] = Math.min(blockShortest[block] ?? 0, durationNs);
    blockLongest[block] = Math.max(blockLongest[block] ?? 0, durationNs);
  }
  return {
    rows,
    at: (place) => {
      const row = rows[place];
      return row === undefined ? undefined : activity(trace, row);
    },
    firstFrom: (timeNs) => lowerBound(0, rows.length, (place) => rowStart(trace, rows[place] ?? -1) < timeNs),
    reachedEnd,
    blockEnd,
    blockShortest,
    blockLongest,
    span: (place) => ({ startNs: rowStart(trace, rows[place] ?? -1), endNs: rowEndNs(trace, rows[place] ?? -1) }),
    busy: rowUnion({ trace }, rows),
  };
}

function spansBy<Key>(trace: Trace, rows: readonly Activity[], keyOf: (one: Activity) => Key): Map<Key, LaneSpans> {
  const spans = (own: readonly Activity[]): LaneSpans =>
    new LaneSpans(
      trace,
      own.map(({ row }) => row),
    );
  return new Map([...groupBy(rows, keyOf)].map(([key, own]) => [key, spans(own)]));
}

/** Returns the index of the first in `list` (sorted by start) that starts at or after `time`. */
export const firstStartingFrom = (list: readonly Activity[], time: number): number =>
  lowerBound(0, list.length, (index) => (list[index]?.startNs ?? 0) < time);

export type Span = Pick<Activity, 'startNs' | 'endNs'>;

/** Returns how long two spans overlap. */
export const commonNs = (a: Span, b: Span): number =>
  Math.max(0, Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs));

export const durationOf = (one: Span): number => one.endNs - one.startNs;

/** Smaller copies don't show the rate of the link: their start takes as long as their bytes. */
const leastToldBytes = MiB;

/** PCI Express 3.0 has 0.985 GB/s per lane, each later generation twice that. Copies reach about four fifths of it. */
const laneRate = (generation: number): number => 0.8 * 0.985e9 * 2 ** (generation - 3);

/** Devices of compute capability 8 came with PCI Express 4.0, later ones with 5.0. */
const generationOf = (device: DeviceInfo | null): number =>
  Math.min(5, Math.max(3, Math.floor(Number(device?.computeCapability ?? 0)) - 4));

/**
 * Returns the rate of a copy of this size alone if the machine is known. Otherwise returns, by direction, the rate of the
 * device's link, or of the fastest copy in the trace if that is higher. Assumes
 * 16 lanes of the third generation if the device is unknown.
 */
function linkRates(
  copies: readonly Activity[],
  device: DeviceInfo | null,
  attainable: AttainableBandwidth | undefined,
): (copy: Activity) => number {
  const least = laneRate(generationOf(device)) * (device?.linkWidth ?? 16);
  const rates = new Map<Activity['direction'], number>();
  for (const { bytes, startNs, endNs, direction } of copies) {
    if (bytes < leastToldBytes || endNs <= startNs) continue;
    rates.set(direction, Math.max(rates.get(direction) ?? 0, (bytes / (endNs - startNs)) * 1e9));
  }
  return ({ direction, bytes }) => {
    const known = direction === null ? null : attainable?.(direction, 'pinned', bytes);
    return known ?? Math.max(least, rates.get(direction) ?? 0);
  };
}
