/**
 * Which stream waits for which. The trace's marks tell it, or else a rule does: a wait is for the work that was issued
 * last before the record, and holds what is issued next in the waiting stream; a pair of streams that any step contradicts,
 * since work began before what it should have waited for had ended, is not it.
 */
import { rowEndNs } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import type { Call } from './hostLine.ts';

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

export function eventPairs(trace: Trace, calls: readonly Call[]): EventPair[] {
  const streamOf = (row: RowIndex): number => trace.columns.lane[row] ?? -1;
  const streams = [...new Set(calls.flatMap(({ activities }) => activities.map(streamOf)))];
  if (streams.length < 2) return [];
  const marked = markedPairs(trace, calls);
  const last = new Map<number, RowIndex>();
  /** Of each record the last activity issued in each stream before it. */
  const records: { index: number; last: Map<number, RowIndex>; by: number }[] = [];
  const next = nextActivities(calls, streams, streamOf);
  const pairs: EventPair[] = [];
  let issuing = -1;
  calls.forEach((call, index) => {
    for (const row of call.activities) {
      last.set(streamOf(row), row);
      issuing = streamOf(row);
    }
    if (call.kind === 'record') records.push({ index, last: new Map(last), by: issuing });
    if (call.kind !== 'wait') return;
    const pair = marked.get(index) ?? best(trace, records.slice(-64), next, index, streams);
    if (pair !== null) pairs.push(pair);
  });
  return pairs;
}

const recordMark = rowKinds.indexOf('event-record');
const waitMark = rowKinds.indexOf('event-wait');

/** By the index of the wait: a wait and the record of its event are marks of one name, each with its call's correlation. */
function markedPairs({ columns, count }: Trace, calls: readonly Call[]): Map<number, EventPair> {
  const callOf = new Map(calls.map(({ row }, index) => [columns.correlation[row] ?? 0, index]));
  const records = new Map<number, RowIndex>();
  for (let row = 0; row < count; row += 1) {
    if (columns.kind[row] === recordMark) records.set(columns.name[row] ?? -1, row);
  }
  const pairs = new Map<number, EventPair>();
  for (let row = 0; row < count && records.size > 0; row += 1) {
    if (columns.kind[row] !== waitMark) continue;
    const recordRow = records.get(columns.name[row] ?? -1);
    const wait = callOf.get(columns.correlation[row] ?? 0);
    const record = recordRow === undefined ? undefined : callOf.get(columns.correlation[recordRow] ?? 0);
    const isPair = wait !== undefined && record !== undefined && calls[wait]?.kind === 'wait';
    if (!isPair || calls[record]?.kind !== 'record') continue;
    const [recorded, waiting] = [columns.lane[recordRow ?? 0] ?? -1, columns.lane[row] ?? -1];
    pairs.set(wait, { record, wait, recorded, waiting, isTold: true });
  }
  return pairs;
}

/** Of each call's place, the next activity in each stream. */
function nextActivities(calls: readonly Call[], streams: readonly number[], streamOf: (row: RowIndex) => number) {
  const places = new Map(streams.map((stream) => [stream, [] as { index: number; row: RowIndex }[]]));
  calls.forEach(({ activities }, index) => {
    const [row] = activities;
    if (row !== undefined) places.get(streamOf(row))?.push({ index, row });
  });
  return (stream: number, index: number): RowIndex | null => {
    const list = places.get(stream) ?? [];
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((list[middle]?.index ?? 0) <= index) low = middle + 1;
      else high = middle;
    }
    return list[low]?.row ?? null;
  };
}

function best(
  trace: Trace,
  records: readonly { index: number; last: ReadonlyMap<number, RowIndex>; by: number }[],
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
