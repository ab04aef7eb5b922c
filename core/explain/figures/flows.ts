/**
 * Flows from one row to another: from a host call to the activities that it issued, and from an event's record to the
 * waits that it releases. A wait is released by the latest record of its event that was issued before it (CUDA Runtime
 * API, cudaStreamWaitEvent). Only the run's experiment tells which event an operation names.
 */
import { type Experiment, walkOperations } from '../../experiment/experiment.ts';
import { lowerBound } from '../../lowerBound.ts';
import { joinCalls, joinedWith } from '../../trace/correlation.ts';
import type { RowRange } from '../../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../../trace/trace.ts';

export interface Flow {
  readonly kind: 'issues' | 'releases';
  readonly from: RowIndex;
  readonly to: RowIndex;
}

const code = (kind: (typeof rowKinds)[number]): number => rowKinds.indexOf(kind);
const [callCode, recordCode, waitCode, syncCode] = [
  ...[code('host-call'), code('event-record'), code('event-wait'), code('host-sync')],
];

/** Returns all flows from or to a row, and the other flows of its call. Searches the rows on each call. */
export function flowsOf(trace: Trace, range: RowRange, experiment: Experiment | null, row: RowIndex): Flow[] {
  return [...issueFlows(trace, range, row), ...(experiment === null ? [] : eventFlows(trace, range, experiment, row))];
}

function issueFlows(trace: Trace, range: RowRange, row: RowIndex): Flow[] {
  const rows = [row, ...joinedWith(trace, range, row)];
  const call = rows.find((one) => trace.columns.kind[one] === callCode);
  if (call === undefined) return [];
  return rows.filter((one) => one !== call).map((to) => ({ kind: 'issues', from: call, to }));
}

/** Numbers of the operations that record an event, and of those that wait for it in a stream or on the host. */
interface EventOperations {
  readonly records: ReadonlySet<number>;
  readonly waits: ReadonlySet<number>;
}

/** A row and the time at which its call was issued, which decides the order of records and waits. */
interface Issued {
  readonly row: RowIndex;
  readonly issuedNs: number;
}

function eventFlows(trace: Trace, range: RowRange, experiment: Experiment, row: RowIndex): Flow[] {
  const { kind, op } = trace.columns;
  if (![recordCode, waitCode, syncCode].includes(kind[row] ?? -1)) return [];
  const event = eventsOf(experiment).find(({ records, waits }) =>
    [records, waits].some((ops) => ops.has(op[row] ?? -1)),
  );
  if (event === undefined) return [];
  const rows = operationRows(trace, range, new Set([...event.records, ...event.waits]));
  return eventReleases(trace, event, rows).filter(({ from, to }) => row === to || row === from);
}

/** Returns all records that release a wait, event by event, in order of the waits' issue. */
export function releases(trace: Trace, range: RowRange, experiment: Experiment): Flow[] {
  const events = eventsOf(experiment);
  const rows = operationRows(trace, range, new Set(events.flatMap(({ records, waits }) => [...records, ...waits])));
  return events.flatMap((event) => eventReleases(trace, event, rows));
}

function eventReleases(trace: Trace, event: EventOperations, rows: OperationRows): Flow[] {
  const records = issued(trace, rows, event.records, [recordCode as number]);
  const waits = issued(trace, rows, event.waits, [waitCode as number, syncCode as number]);
  return waits.flatMap(({ row: to, issuedNs }): Flow[] => {
    const record = latestBefore(records, issuedNs);
    return record === null ? [] : [{ kind: 'releases', from: record, to }];
  });
}

/** Returns the operations on each event that is recorded or waited for. */
function eventsOf(experiment: Experiment): EventOperations[] {
  const events = new Map<string, { readonly records: Set<number>; readonly waits: Set<number> }>();
  let next = 0;
  for (const { operations } of experiment.threads) {
    walkOperations(operations, (operation) => {
      const isRecord = operation.op === 'recordEvent';
      if (isRecord || operation.op === 'waitEvent' || operation.op === 'synchronizeEvent') {
        const event = events.get(operation.event) ?? { records: new Set(), waits: new Set() };
        events.set(operation.event, event);
        (isRecord ? event.records : event.waits).add(next);
      }
      next += 1;
    });
  }
  return [...events.values()];
}

/** Rows by operation number, with calls separate from activities. */
type OperationRows = ReadonlyMap<number, { readonly rows: readonly RowIndex[]; readonly calls: readonly RowIndex[] }>;

const eventCodes: readonly (number | undefined)[] = [recordCode, waitCode, syncCode];

function operationRows(trace: Trace, range: RowRange, ops: ReadonlySet<number>): OperationRows {
  const found = new Map<number, { readonly rows: RowIndex[]; readonly calls: RowIndex[] }>();
  if (ops.size === 0) return found;
  const { kind, op } = trace.columns;
  for (let row = range.from; row < range.to; row += 1) {
    const number = op[row] as number;
    if (!ops.has(number)) continue;
    const own = found.get(number) ?? { rows: [], calls: [] };
    found.set(number, own);
    if (eventCodes.includes(kind[row])) own.rows.push(row);
    else if (kind[row] === callCode) own.calls.push(row);
  }
  return found;
}

/** Returns rows in order of issue. The n-th activity of an operation belongs to its n-th call, if each has one. */
function issued(trace: Trace, found: OperationRows, ops: ReadonlySet<number>, kinds: readonly number[]): Issued[] {
  const { kind, startNs } = trace.columns;
  const start = (row: RowIndex): number => startNs[row] ?? 0;
  const all = [...ops].flatMap((number) => {
    const { rows, calls } = found.get(number) ?? { rows: [], calls: [] };
    const own = rows.filter((row) => kinds.includes(kind[row] as number));
    return own.map((row, index) => ({
      row,
      issuedNs: start(calls.length === own.length ? (calls[index] ?? row) : row),
    }));
  });
  return all.sort((a, b) => a.issuedNs - b.issuedNs);
}

function latestBefore(records: readonly Issued[], issuedNs: number): RowIndex | null {
  const later = lowerBound(0, records.length, (at) => (records[at]?.issuedNs ?? 0) <= issuedNs);
  return records[later - 1]?.row ?? null;
}

/** Yields flows in order of their target rows. Waits of an imported trace name the record that releases them. */
export function* allFlows(trace: Trace, range: RowRange, experiment: Experiment | null): Generator<Flow> {
  const { callOf } = joinCalls(trace, range);
  for (let to = range.from; to < range.to; to += 1) {
    const from = callOf(to);
    if (from !== null) yield { kind: 'issues', from, to };
  }
  yield* experiment === null ? namedReleases(trace, range) : releases(trace, range, experiment);
}

function* namedReleases({ columns }: Trace, { from, to }: RowRange): Generator<Flow> {
  const records = new Map<number, RowIndex>();
  for (let row = from; row < to; row += 1) {
    if (columns.kind[row] === recordCode) records.set(columns.name[row] as number, row);
  }
  if (records.size === 0) return;
  for (let row = from; row < to; row += 1) {
    if (columns.kind[row] !== waitCode) continue;
    const record = records.get(columns.name[row] as number);
    if (record !== undefined) yield { kind: 'releases', from: record, to: row };
  }
}
