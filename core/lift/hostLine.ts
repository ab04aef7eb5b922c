/**
 * The index of a trace for all of lifting, made in two passes over the rows: its calls, their activities, its ranges,
 * and the issuing line. The line is the sequence of CUDA calls that matter, in the program's order. Threads that never
 * call at the same time take turns, like PyTorch's main and autograd threads, and form one line. Threads of different
 * processes never do.
 */
import { inOrder } from '../trace/inOrder.ts';
import { RowList } from '../trace/iteration.ts';
import { rowEndNs } from '../trace/rows.ts';
import { RowsByNumber } from '../trace/rowsByNumber.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import { type CallColumns, type CallKind, Calls, callKinds } from './calls.ts';
import { processOfLane } from './steps.ts';

export interface HostLine {
  readonly calls: Calls;
  /** Starts of calls that issue no work. */
  readonly trivialNs: Float64Array;
  /** Starts of calls by other threads of the same program. */
  readonly othersNs: Float64Array;
  /** Host-thread lanes that form the line. */
  readonly lanes: readonly number[];
  /** Lanes of threads that also issue work, but aren't part of the line. */
  readonly beside: readonly number[];
  /** Process of these threads; empty if the trace doesn't say. */
  readonly process: string;
  /** Number of processes that issue work: each rank is a program of its own. */
  readonly processes: number;
  /** Lanes of the streams to which the line issued work. */
  readonly streams: ReadonlySet<number>;
  /** Work in those streams that was issued before the recording began, in order of start. */
  readonly early: readonly RowIndex[];
  /** All kernels, copies and memsets, in order of start. */
  readonly device: Int32Array;
  /** All ranges with a duration, in order of start. */
  readonly ranges: Int32Array;
}

const code = (kind: (typeof rowKinds)[number]): number => rowKinds.indexOf(kind);
const codes = { call: code('host-call'), sync: code('host-sync'), range: code('host-range'), copy: code('copy') };
const isDevice = Uint8Array.from(rowKinds, (kind) =>
  kind === 'kernel' || kind === 'copy' || kind === 'memset' ? 1 : 0,
);

const recordCall = /EventRecord/;
const waitCall = /StreamWaitEvent/;
const memoryCall =
  /^(cuda|cu|hip)(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister|MemAlloc|MemFree|MemHostAlloc)/;

export function hostLine(trace: Trace): HostLine {
  const { startNs } = trace.columns;
  const startOf = (row: RowIndex): number => startNs[row] as number;
  const activities = firstActivities(trace);
  const found = findRows(trace, activities);
  const issuing = [...found.lanes].filter(([, { issues }]) => issues);
  issuing.sort((a, b) => b[1].calls.length - a[1].calls.length);
  const processes = issuing.map(([lane]) => processOfLane(trace, lane));
  const [process = ''] = processes;
  const lanes: number[] = [];
  const beside: number[] = [];
  let calls = new Calls(trace, found, new Int32Array(0));
  for (const [lane, { calls: ofLane }] of issuing.filter((_, index) => processes[index] === process)) {
    const { rows } = ofLane;
    const own = new Calls(trace, found, rows);
    if (lanes.length > 0 && meet(calls, own)) {
      beside.push(lane);
      continue;
    }
    lanes.push(lane);
    calls = new Calls(trace, found, inOrder(joined(calls.rows, rows), startOf));
  }
  const streams = streamsOf(trace, calls);
  const others = [...found.lanes].filter(([lane]) => !lanes.includes(lane) && processOfLane(trace, lane) === process);
  return {
    calls,
    streams,
    early: earlyRows(trace, calls, streams, activities, found.device),
    trivialNs: sortedTimes(lanes.flatMap((lane) => found.lanes.get(lane)?.trivial ?? [])),
    othersNs: sortedTimes(others.flatMap(([, own]) => [own.calls, own.trivial])),
    lanes,
    beside,
    process,
    processes: new Set(processes).size,
    device: found.device,
    ranges: found.ranges,
  };

  function sortedTimes(lists: readonly RowList[]): Float64Array {
    const times = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
    let place = 0;
    for (const { rows } of lists) {
      times.set(Float64Array.from(rows, startOf), place);
      place += rows.length;
    }
    return times.sort();
  }
}

function joined(a: Int32Array, b: Int32Array): Int32Array {
  const both = new Int32Array(a.length + b.length);
  both.set(a);
  both.set(b, a.length);
  return both;
}

function streamsOf({ columns }: Trace, calls: Calls): Set<number> {
  const streams = new Set<number>();
  for (let place = 0; place < calls.length; place += 1) {
    for (let row = calls.firstActivity(place); row >= 0; row = calls.nextActivity(row))
      streams.add(columns.lane[row] ?? -1);
  }
  return streams;
}

/** Device rows by their number; rows with one number are linked. */
interface Activities {
  readonly first: RowsByNumber;
  /** By row + 1; 0 after the last. */
  readonly next: Int32Array;
}

function firstActivities({ columns: { correlation, kind }, count }: Trace): Activities {
  const first = new RowsByNumber(correlation, 0, count);
  const next = new Int32Array(count);
  for (let row = count - 1; row >= 0; row -= 1) {
    const number = correlation[row] as number;
    if (number === 0 || isDevice[kind[row] as number] !== 1) continue;
    next[row] = first.get(number) + 1;
    first.set(number, row);
  }
  return { first, next };
}

/** CUPTI's correlations rise call by call, so a lower number than the first call's means it was issued before. */
function earlyRows(
  { columns: { correlation, lane } }: Trace,
  calls: Calls,
  streams: ReadonlySet<number>,
  /** Activities without a call. */
  { first }: Activities,
  device: Int32Array,
): RowIndex[] {
  let least = Number.POSITIVE_INFINITY;
  for (const row of calls.rows) {
    const number = correlation[row] as number;
    if (number > 0 && number < least) least = number;
  }
  const rows: RowIndex[] = [];
  for (const row of device) {
    const number = correlation[row] as number;
    if (number === 0 || number >= least) continue;
    if (streams.has(lane[row] as number) && first.get(number) >= 0) rows.push(row);
  }
  return rows;
}

interface LaneCalls {
  readonly calls: RowList;
  /** Calls that issue no work. */
  readonly trivial: RowList;
  /** Whether one of them issued work. */
  issues: boolean;
  endOfLast: number;
}

interface FoundRows extends CallColumns, Pick<HostLine, 'device' | 'ranges'> {
  readonly lanes: ReadonlyMap<number, LaneCalls>;
}

/** Removes the activities that a call has issued from `activities`. */
function findRows(trace: Trace, { first, next }: Activities): FoundRows {
  const { columns, count, names } = trace;
  const kinds = new Uint8Array(count);
  const kindOfName = names.map(kindOf);
  const lanes = new Map<number, LaneCalls>();
  const [device, ranges] = [new RowList(), new RowList()];
  for (let row = 0; row < count; row += 1) {
    const kind = columns.kind[row] as number;
    if (isDevice[kind] === 1) device.push(row);
    else if (kind === codes.range && (columns.durationNs[row] as number) > 0) ranges.push(row);
    if (kind !== codes.call && kind !== codes.sync) continue;
    const lane = columns.lane[row] as number;
    const of = lanes.get(lane) ?? { calls: new RowList(), trivial: new RowList(), issues: false, endOfLast: -1 };
    lanes.set(lane, of);
    const number = columns.correlation[row] as number;
    const activity = number === 0 ? -1 : first.get(number);
    const found =
      kind === codes.sync ? 'sync' : (issuedBy(columns.kind[activity]) ?? kindOfName[columns.name[row] ?? -1]);
    const endNs = rowEndNs(trace, row);
    // A runtime call may have a row of its driver call inside.
    if (found == null || endNs <= of.endOfLast) {
      of.trivial.push(row);
      continue;
    }
    of.endOfLast = endNs;
    of.calls.push(row);
    kinds[row] = callKinds.indexOf(found);
    if (activity < 0) continue;
    of.issues = true;
    next[row] = activity + 1;
    // A number belongs to one call. If several share it, as in a damaged trace, the first has the activities.
    first.set(number, -1);
  }
  return { kind: kinds, next, lanes, device: device.rows, ranges: ranges.rows };
}

/** Returns the kind of a call by its activity; null if it has none. */
function issuedBy(activity: number | undefined): CallKind | null {
  if (activity === undefined) return null;
  return activity === codes.copy ? 'copy' : 'launch';
}

/** Returns the kind of a call without activities. */
function kindOf(name: string): CallKind | null {
  if (recordCall.test(name)) return 'record';
  if (waitCall.test(name)) return 'wait';
  return memoryCall.test(name) ? 'memory' : null;
}

/** Returns whether calls of two threads overlap in time. One in a hundred may, since clocks and rows are inexact. */
function meet(a: Calls, b: Calls): boolean {
  let [i, j, meetings] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const isWork = a.kind(i) !== 'sync' && b.kind(j) !== 'sync';
    if (isWork && a.startNs(i) < b.endNs(j) && b.startNs(j) < a.endNs(i)) meetings += 1;
    if (a.endNs(i) < b.endNs(j)) i += 1;
    else j += 1;
  }
  return meetings > Math.min(a.length, b.length) / 100;
}
