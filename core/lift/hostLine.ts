/**
 * The issuing line of a trace: its CUDA calls that matter, in the order in which the program makes them. Threads that never
 * call at the same moment take turns, as PyTorch's main and autograd threads do, and are one line.
 */
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';

export type CallKind = 'launch' | 'copy' | 'record' | 'wait' | 'sync' | 'memory';

export interface Call {
  readonly row: RowIndex;
  readonly kind: CallKind;
  readonly name: string;
  readonly startNs: number;
  readonly endNs: number;
  /** What it put on the device, in order of start. */
  readonly activities: readonly RowIndex[];
}

export interface HostLine {
  readonly calls: readonly Call[];
  /** Starts and ends of calls that give the device nothing to do. */
  readonly trivial: { readonly startNs: Float64Array; readonly durationNs: Float64Array };
  /** Host-thread lanes that are one line. */
  readonly lanes: readonly number[];
  /** Lanes of threads that also put work on the device, but beside the line. */
  readonly beside: readonly number[];
  /** Lanes of the streams that the line put work in. */
  readonly streams: ReadonlySet<number>;
  /** Device work in those streams that the line had issued before the recording began, in order of start. */
  readonly early: readonly RowIndex[];
}

const code = (kind: (typeof rowKinds)[number]): number => rowKinds.indexOf(kind);
const codes = { call: code('host-call'), sync: code('host-sync'), copy: code('copy') };
const deviceKinds: ReadonlySet<number> = new Set([code('kernel'), code('copy'), code('memset')]);

const recordCall = /EventRecord/;
const waitCall = /StreamWaitEvent/;
const memoryCall =
  /^(cuda|cu|hip)(Malloc|Free|HostAlloc|MallocHost|FreeHost|HostRegister|HostUnregister|MemAlloc|MemFree|MemHostAlloc)/;

export function hostLine(trace: Trace): HostLine {
  const activities = activitiesByCorrelation(trace);
  const byLane = callsByLane(trace, activities);
  const issuing = [...byLane.entries()].filter(([, { calls }]) => calls.some((call) => call.activities.length > 0));
  issuing.sort((a, b) => b[1].calls.length - a[1].calls.length);
  const lanes: number[] = [];
  const beside: number[] = [];
  let calls: Call[] = [];
  for (const [lane, one] of issuing) {
    if (lanes.length > 0 && meet(calls, one.calls)) {
      beside.push(lane);
      continue;
    }
    lanes.push(lane);
    calls = [...calls, ...one.calls].sort((a, b) => a.startNs - b.startNs);
  }
  const trivial = lanes.flatMap((lane) => byLane.get(lane)?.trivial ?? []);
  trivial.sort((a, b) => (trace.columns.startNs[a] ?? 0) - (trace.columns.startNs[b] ?? 0));
  const streams = new Set(calls.flatMap((call) => call.activities.map((row) => trace.columns.lane[row] ?? -1)));
  return {
    calls,
    streams,
    early: earlyRows(trace, calls, streams, activities),
    trivial: {
      startNs: Float64Array.from(trivial, (row) => trace.columns.startNs[row] ?? 0),
      durationNs: Float64Array.from(trivial, (row) => trace.columns.durationNs[row] ?? 0),
    },
    lanes,
    beside,
  };
}

/** CUPTI counts correlations up call by call: what has a lower one than the first call was issued before it. */
function earlyRows(
  { columns }: Trace,
  calls: readonly Call[],
  streams: ReadonlySet<number>,
  /** Those that no call has. */
  activities: ReadonlyMap<number, readonly RowIndex[]>,
): RowIndex[] {
  const numbers = calls.map(({ row }) => columns.correlation[row] ?? 0).filter((number) => number > 0);
  const first = numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);
  const rows: RowIndex[] = [];
  for (const [correlation, own] of activities) {
    if (correlation < first) for (const row of own) if (streams.has(columns.lane[row] ?? -1)) rows.push(row);
  }
  return rows.sort((a, b) => a - b);
}

function activitiesByCorrelation({ columns, count }: Trace): Map<number, RowIndex[]> {
  const found = new Map<number, RowIndex[]>();
  for (let row = 0; row < count; row += 1) {
    const correlation = columns.correlation[row] ?? 0;
    if (correlation === 0 || !deviceKinds.has(columns.kind[row] ?? -1)) continue;
    const known = found.get(correlation);
    if (known === undefined) found.set(correlation, [row]);
    else known.push(row);
  }
  return found;
}

interface LaneCalls {
  readonly calls: Call[];
  readonly trivial: RowIndex[];
}

/** What a call has put on the device is taken out of `activities`. */
function callsByLane(trace: Trace, activities: Map<number, RowIndex[]>): Map<number, LaneCalls> {
  const { columns, count, names } = trace;
  const lanes = new Map<number, LaneCalls>();
  const endOfLast = new Map<number, number>();
  for (let row = 0; row < count; row += 1) {
    const kind = columns.kind[row];
    if (kind !== codes.call && kind !== codes.sync) continue;
    const lane = columns.lane[row] ?? -1;
    const of = lanes.get(lane) ?? { calls: [], trivial: [] };
    lanes.set(lane, of);
    const own = activities.get(columns.correlation[row] ?? 0) ?? [];
    const name = names[columns.name[row] ?? -1] ?? '';
    const found = kind === codes.sync ? 'sync' : kindOf(trace, name, own);
    const endNs = rowEndNs(trace, row);
    // A runtime call may have a row of its driver call inside.
    if (found === null || endNs <= (endOfLast.get(lane) ?? -1)) {
      of.trivial.push(row);
      continue;
    }
    endOfLast.set(lane, endNs);
    // A number belongs to one call: where others share it, as in a damaged trace, the first has what it put on the device.
    activities.delete(columns.correlation[row] ?? 0);
    of.calls.push({ row, kind: found, name, startNs: columns.startNs[row] ?? 0, endNs, activities: own });
  }
  return lanes;
}

function kindOf({ columns }: Trace, name: string, activities: readonly RowIndex[]): CallKind | null {
  const [first] = activities;
  if (first !== undefined) return columns.kind[first] === codes.copy ? 'copy' : 'launch';
  if (recordCall.test(name)) return 'record';
  if (waitCall.test(name)) return 'wait';
  return memoryCall.test(name) ? 'memory' : null;
}

/** Whether calls of two threads overlap in time; one in a hundred may, since clocks and rows are not that exact. */
function meet(a: readonly Call[], b: readonly Call[]): boolean {
  let [i, j, meetings] = [0, 0, 0];
  while (i < a.length && j < b.length) {
    const [x, y] = [a[i] as Call, b[j] as Call];
    if (x.kind !== 'sync' && y.kind !== 'sync' && x.startNs < y.endNs && y.startNs < x.endNs) meetings += 1;
    if (x.endNs < y.endNs) i += 1;
    else j += 1;
  }
  return meetings > Math.min(a.length, b.length) / 100;
}
