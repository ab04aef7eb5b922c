/** Everything of one iteration that a verdict looks at, prepared once. */

import { CallStacks } from '../figures/callStacks.ts';
import { type HostCalls, hostCalls } from '../figures/hostCalls.ts';
import { LaneSpans } from '../figures/laneSpans.ts';
import { rowUnion } from '../figures/overlap.ts';
import { defaultQueueDepth } from '../figures/queue.ts';
import { groupBy } from '../groupBy.ts';
import { lowerBound } from '../lowerBound.ts';
import { DeviceOrder, type OrderRule, orderRules } from '../order/deviceOrder.ts';
import type { DeviceInfo } from '../program/engine.ts';
import type { ProgramStream } from '../program/program.ts';
import type { Intervals } from '../trace/intervals.ts';
import {
  type Activity,
  activity,
  eachRowOfKind,
  type Iteration,
  RowList,
  rowDevice,
  rowStart,
  rowsOfKind,
} from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import type { ProgramFacts } from './facts.ts';
import { type IssueOrder, issueOrder } from './issue.ts';
import { linkRates } from './linkRate.ts';
import { StreamQueues } from './queues.ts';

export interface Kernels {
  /** Sorted by start. */
  readonly rows: Int32Array;
  /** The kernel at a place; undefined where there is none. */
  readonly at: (place: number) => Activity | undefined;
  /** Place of the first that starts at or after a time. */
  readonly firstFrom: (timeNs: number) => number;
  /** Of each block of kernelsPerBlock the latest end among all kernels up to its last. */
  readonly reachedEnd: Float64Array;
  /** Of each block the latest end, and the durations of its shortest and its longest. */
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
  /** The call that issued an activity; null where the trace doesn't hold it. */
  readonly callOf: (one: Activity) => Activity | null;
  /** Which activity belongs to which call. */
  readonly calls: HostCalls;
  /** The copy that a call issued, by the call's row. */
  readonly copyOfCall: ReadonlyMap<RowIndex, Activity>;
  /** Whether any host thread did anything. */
  readonly hasThreads: boolean;
  /** Rows of a host thread by lane index, without ranges. */
  readonly thread: (lane: number) => LaneSpans;
  /** Copies of each copy engine by lane index. */
  readonly engines: ReadonlyMap<number, LaneSpans>;
  /** Copies of the queue that a copy of a known channel went through, in order. */
  readonly copyQueue: (copy: Activity) => readonly Activity[];
  /** Kernels, memsets and copies of a compute lane. */
  readonly compute: (lane: number) => LaneSpans;
  /** Kernels of a device that work on mapped memory. */
  readonly mapped: (device: string) => LaneSpans;
  /** Of each call, where the trace tells them. */
  readonly stacks: CallStacks;
  readonly queues: StreamQueues;
  /** Made when first asked for, as the orders are. */
  readonly issue: IssueOrder;
  /** By these rules alone, beside the order of each stream. */
  readonly orderBy: (...rules: OrderRule[]) => DeviceOrder;
  readonly byAll: DeviceOrder;
  /** Bytes per second that the copy's direction reaches with pinned memory. */
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

/** What is known of the device: operations that a stream holds before a call blocks, and the device itself. */
export interface KnownDevice {
  readonly queueDepth?: number | undefined;
  readonly device?: DeviceInfo | null | undefined;
}

export function buildScene(iteration: Iteration, facts: ProgramFacts, known: KnownDevice): Scene {
  const { trace } = iteration;
  const copies = rowsOfKind(iteration, 'copy').map((row) => activity(trace, row));
  const kernels = kernelsByDevice(iteration);
  const calls = hostCalls(iteration);
  const issue = onceEach((_: null) => issueOrder(iteration, facts.program));
  const orderBy = onceEach((_: null) => orders(issue(null), facts.program?.streams ?? []));
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
    thread: onceEach((lane) => threadSpans(iteration, lane)),
    engines: spansBy(
      trace,
      copies.filter((copy) => copy.engineKind === 'copy-engine').map((copy) => copy.row),
      trace.columns.engine,
    ),
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
    linkRate: linkRates(copies, known.device ?? null),
  };
}

/** Each is made when first asked for. A rule that nothing here falls under changes no order. */
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

/** Grouped when first asked for, as most runs never do. */
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

/** Most runs never ask for it, and a large one has a million rows in it. */
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

/** The rows by what stands in `lanes` for them. */
function spansBy(trace: Trace, rows: readonly RowIndex[], lanes: Int32Array): Map<number, LaneSpans> {
  const groups = groupBy(rows, (row) => lanes[row] ?? -1);
  return new Map([...groups].map(([lane, own]) => [lane, new LaneSpans(trace, own)]));
}

/** Index of the first of `list` (sorted by start) that starts at or after `time`. */
export const firstStartingFrom = (list: readonly Activity[], time: number): number =>
  lowerBound(0, list.length, (index) => (list[index]?.startNs ?? 0) < time);

export type Span = Pick<Activity, 'startNs' | 'endNs'>;

/** Length of the part that two have in common. */
export const commonNs = (a: Span, b: Span): number =>
  Math.max(0, Math.min(a.endNs, b.endNs) - Math.max(a.startNs, b.startNs));

export const durationOf = (one: Span): number => one.endNs - one.startNs;
