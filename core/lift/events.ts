/**
 * Which stream waits for which. The trace's marks tell it, or else a rule does: a wait is for the work that was issued
 * last before the record, and holds what is issued next in the waiting stream; a pair of streams that any step contradicts,
 * since work began before what it should have waited for had ended, is not it.
 */
import { lowerBound } from '../lowerBound.ts';
import { rowEndNs } from '../trace/rows.ts';
import { RowsByNumber } from '../trace/rowsByNumber.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';

export interface EventPair {
  /** Index of the record and of the wait among the line's calls. */
  readonly record: number;
  readonly wait: number;
  /** Lanes of the stream that is waited for, and of the one that waits. */
  readonly recorded: number;
  readonly waiting: number;
  /** The trace tells it, rather than a rule. */
  readonly isTold: boolean;
}

/** Clocks of rows differ by about this much. */
const slackNs = 500;

/** A record, and the last activity that was issued in each stream before it. */
interface Recorded {
  readonly index: number;
  readonly last: ReadonlyMap<number, RowIndex>;
  readonly by: number;
}

/** So many records before a wait are looked at for the one that it is for. */
const mostRecords = 64;

export function eventPairs(trace: Trace, calls: Calls, streams: readonly number[]): EventPair[] {
  if (streams.length < 2) return [];
  const streamOf = (row: RowIndex): number => trace.columns.lane[row] ?? -1;
  const marked = markedPairs(trace, calls);
  const last = new Map<number, RowIndex>();
  const records: Recorded[] = [];
  const next = nextActivities(calls, streams, streamOf);
  const pairs: EventPair[] = [];
  let issuing = -1;
  for (let index = 0; index < calls.length; index += 1) {
    for (let row = calls.firstActivity(index); row >= 0; row = calls.nextActivity(row)) {
      last.set(streamOf(row), row);
      issuing = streamOf(row);
    }
    const kind = calls.kind(index);
    if (kind === 'record') {
      records.push({ index, last: new Map(last), by: issuing });
      if (records.length > mostRecords) records.shift();
    }
    if (kind !== 'wait') continue;
    const pair = marked.get(index) ?? best(trace, records, next, index, streams);
    if (pair !== null) pairs.push(pair);
  }
  return pairs;
}

const recordMark = rowKinds.indexOf('event-record');
const waitMark = rowKinds.indexOf('event-wait');

/** By the index of the wait: a wait and the record of its event are marks of one name, each with its call's correlation. */
function markedPairs({ columns, count }: Trace, calls: Calls): Map<number, EventPair> {
  const pairs = new Map<number, EventPair>();
  const records = new Map<number, RowIndex>();
  for (let row = 0; row < count; row += 1) {
    if (columns.kind[row] === recordMark) records.set(columns.name[row] ?? -1, row);
  }
  if (records.size === 0) return pairs;
  const callOf = placesByNumber(columns.correlation, count, calls);
  for (let row = 0; row < count; row += 1) {
    if (columns.kind[row] !== waitMark) continue;
    const recordRow = records.get(columns.name[row] ?? -1) ?? -1;
    const [wait, record] = [callOf(row), callOf(recordRow)];
    if (calls.kind(wait) !== 'wait' || calls.kind(record) !== 'record') continue;
    const [recorded, waiting] = [columns.lane[recordRow] ?? -1, columns.lane[row] ?? -1];
    pairs.set(wait, { record, wait, recorded, waiting, isTold: true });
  }
  return pairs;
}

/** The place of the call that has a row's number; -1 for none. Calls without one are one another's. */
function placesByNumber(numbers: Int32Array, count: number, calls: Calls): (row: RowIndex) => number {
  const places = new RowsByNumber(numbers, 0, count);
  let numberless = -1;
  for (const [place, row] of calls.rows.entries()) {
    const number = numbers[row] as number;
    if (number === 0) numberless = place;
    else places.set(number, place);
  }
  return (row) => {
    const number = numbers[row];
    if (number === undefined) return -1;
    return number === 0 ? numberless : places.get(number);
  };
}

/** Of each call's place, the next activity in each stream. */
function nextActivities(calls: Calls, streams: readonly number[], streamOf: (row: RowIndex) => number) {
  const lists = new Map(streams.map((stream) => [stream, [] as number[]]));
  for (let place = 0; place < calls.length; place += 1) {
    const row = calls.firstActivity(place);
    if (row >= 0) lists.get(streamOf(row))?.push(place);
  }
  const places = new Map([...lists].map(([stream, list]) => [stream, Int32Array.from(list)]));
  return (stream: number, index: number): RowIndex | null => {
    const list = places.get(stream) ?? new Int32Array(0);
    const at = lowerBound(0, list.length, (k) => (list[k] ?? 0) <= index);
    return at === list.length ? null : calls.firstActivity(list[at] ?? -1);
  };
}

function best(
  trace: Trace,
  records: readonly Recorded[],
  next: (stream: number, index: number) => RowIndex | null,
  index: number,
  streams: readonly number[],
): EventPair | null {
  let found: EventPair | null = null;
  let foundGap = Number.POSITIVE_INFINITY;
  for (const record of records) {
    for (const recorded of streams) {
      const before = record.last.get(recorded);
      if (before === undefined) continue;
      for (const waiting of streams) {
        const after = waiting === recorded ? null : next(waiting, index);
        if (after === null) continue;
        const gap = (trace.columns.startNs[after] ?? 0) - rowEndNs(trace, before);
        if (gap < -slackNs) continue;
        // The record's own stream, and the latest of two records of the same work, are likelier.
        const cost = gap + (record.by === recorded ? 0 : 5000);
        if (cost > foundGap) continue;
        foundGap = cost;
        found = { record: record.index, wait: index, recorded, waiting, isTold: false };
      }
    }
  }
  return found;
}
