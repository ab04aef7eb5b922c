/**
 * Finds which stream waits for which. The trace's marks show it, or else a rule: a wait is for the work issued last
 * before the record, and delays the work issued next in the waiting stream. A pair of streams is excluded if, in any
 * step, work began before the work it should have waited for had ended.
 */
import { RowsByNumber } from '../trace/rowsByNumber.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';
import type { Calls } from './calls.ts';
import { LikelyRecords } from './likelyRecord.ts';

export interface EventPair {
  /** Indices of record and wait among the line's calls. */
  readonly record: number;
  readonly wait: number;
  /** Lanes of the stream that is waited for, and of the one that waits. */
  readonly recorded: number;
  readonly waiting: number;
  /** Whether the trace shows it, rather than a rule. */
  readonly isKnown: boolean;
}

export function eventPairs(trace: Trace, calls: Calls, streams: readonly number[]): EventPair[] {
  if (streams.length < 2) return [];
  const marked = markedPairs(trace, calls);
  const likely = new LikelyRecords(trace, calls, streams);
  const pairs: EventPair[] = [];
  for (let index = 0; index < calls.length; index += 1) {
    for (let row = calls.firstActivity(index); row >= 0; row = calls.nextActivity(row)) likely.issued(row);
    likely.passed(index);
    const kind = calls.kind(index);
    if (kind === 'record') likely.record(index);
    if (kind !== 'wait') continue;
    const told = marked.get(index);
    const found = told === undefined ? likely.forWait() : null;
    if (told !== undefined) pairs.push(told);
    if (found !== null) pairs.push({ ...found, wait: index, isKnown: false });
  }
  return pairs;
}

const recordMark = rowKinds.indexOf('event-record');
const waitMark = rowKinds.indexOf('event-wait');

/** Returns pairs by the wait's index. A wait and its event's record are marks of one name, with call correlations. */
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
    pairs.set(wait, { record, wait, recorded, waiting, isKnown: true });
  }
  return pairs;
}

/** Returns the place of the call with a row's number; -1 if none. Calls without a number match each other. */
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
