/**
 * Measures what each lane did with an iteration's time:
 *
 *   busy      length of the union of its activities. For a host thread: calls, work, reads and writes, but not ranges, which
 *             only surround them, or waits in synchronising calls
 *   idle      makespan - busy
 *   overlap   part of busy in which another lane was busy too: for an engine, another engine of its device; for a stream,
 *             another stream of its device; for a host thread, any engine or stream
 */
import { append } from '../../groupBy.ts';
import { type Intervals, intersection, length, union } from '../../trace/intervals.ts';
import type { RowRange } from '../../trace/rows.ts';
import { makespanNs, rowEndNs } from '../../trace/rows.ts';
import { type Lane, type LaneKind, type RowKind, rowKinds, type Trace } from '../../trace/trace.ts';

export interface LaneTimes {
  readonly lane: Lane;
  /** One value for each iteration. */
  readonly busyNs: Float64Array;
  readonly idleNs: Float64Array;
  readonly overlapNs: Float64Array;
}

const notBusy: readonly RowKind[] = ['host-range', 'host-sync'];
const isBusy = Uint8Array.from(rowKinds, (kind) => (notBusy.includes(kind) ? 0 : 1));

/** Returns lanes in the order of the trace. */
export function laneTimes(trace: Trace, iterations: readonly RowRange[]): LaneTimes[] {
  const tables = trace.lanes.map((lane) => ({
    lane,
    busyNs: new Float64Array(iterations.length),
    idleNs: new Float64Array(iterations.length),
    overlapNs: new Float64Array(iterations.length),
  }));
  for (const [iteration, range] of iterations.entries()) {
    const busy = busyIntervals(trace, range);
    const shared = sharedIntervals(trace.lanes, busy);
    const span = makespanNs(trace, range);
    for (const [number, table] of tables.entries()) {
      const own = busy[number] ?? new Float64Array(0);
      const busyNs = length(own);
      table.busyNs[iteration] = busyNs;
      table.idleNs[iteration] = span - busyNs;
      table.overlapNs[iteration] = length(intersection(own, shared[number] ?? new Float64Array(0)));
    }
  }
  return tables;
}

/** Returns the intervals in which each lane was busy. */
function busyIntervals(trace: Trace, { from, to }: RowRange): Intervals[] {
  const { lane, engine, kind, startNs } = trace.columns;
  const counts = new Uint32Array(trace.lanes.length);
  const each = (visit: (lane: number, row: number) => void): void => {
    for (let row = from; row < to; row += 1) {
      if (isBusy[kind[row] as number] === 0) continue;
      visit(lane[row] as number, row);
      if ((engine[row] as number) >= 0) visit(engine[row] as number, row);
    }
  };
  each((number) => {
    counts[number] = (counts[number] as number) + 1;
  });
  const times = Array.from(counts, (count) => ({ starts: new Float64Array(count), ends: new Float64Array(count) }));
  counts.fill(0);
  each((number, row) => {
    const at = counts[number] as number;
    const own = times[number];
    if (own === undefined) return;
    own.starts[at] = startNs[row] as number;
    own.ends[at] = rowEndNs(trace, row);
    counts[number] = at + 1;
  });
  return times.map(({ starts, ends }) => union(starts, ends));
}

/** Returns, for each lane, the intervals in which it could overlap with others. */
function sharedIntervals(lanes: readonly Lane[], busy: readonly Intervals[]): Intervals[] {
  const groups = new Map<string, Intervals[]>();
  for (const [number, lane] of lanes.entries()) append(groups, groupOf(lane), busy[number] ?? new Float64Array(0));
  // The lane itself is busy at these times too, so it overlaps if at least two lanes of its group are.
  const twice = new Map([...groups].map(([key, group]) => [key, atLeast(2, group)]));
  const device = atLeast(
    1,
    busy.filter((_, number) => lanes[number]?.kind !== 'host-thread'),
  );
  return lanes.map((lane) => (lane.kind === 'host-thread' ? device : (twice.get(groupOf(lane)) ?? device)));
}

const family: Readonly<Record<LaneKind, string>> = {
  'host-thread': 'host',
  stream: 'stream',
  'copy-engine': 'engine',
  compute: 'engine',
};
const groupOf = ({ kind, device }: Lane): string => `${family[kind]} ${device}`;

/** Returns the times covered by at least `least` of the sets. */
function atLeast(least: number, sets: readonly Intervals[]): Intervals {
  const total = sets.reduce((sum, set) => sum + set.length / 2, 0);
  const [starts, ends] = [new Float64Array(total), new Float64Array(total)];
  let at = 0;
  for (const set of sets) {
    for (let index = 0; index < set.length; index += 2) {
      starts[at] = set[index] as number;
      ends[at] = set[index + 1] as number;
      at += 1;
    }
  }
  starts.sort();
  ends.sort();
  const found: number[] = [];
  // Ends come first, because touching intervals share nothing.
  for (let [i, j, open] = [0, 0, 0]; j < total; ) {
    const isEnd = i >= total || (ends[j] as number) <= (starts[i] as number);
    const time = (isEnd ? ends[j] : starts[i]) as number;
    open += isEnd ? -1 : 1;
    if (isEnd) j += 1;
    else i += 1;
    if (isEnd ? open === least - 1 : open === least) found.push(time);
  }
  return joined(found);
}

/** Removes an end if another interval begins at the same time. */
function joined(times: readonly number[]): Intervals {
  const kept: number[] = [];
  for (const time of times) {
    if (kept.length > 0 && kept.length % 2 === 0 && kept.at(-1) === time) kept.pop();
    else kept.push(time);
  }
  return Float64Array.from(kept);
}
