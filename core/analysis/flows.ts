/**
 * What leads to what, from one row to another: a host call to the activities that it issued, and an event's record to
 * the waits that it releases. A wait is released by the latest record of its event that was issued before it (CUDA
 * Runtime API, cudaStreamWaitEvent); which event an operation names, only the run's experiment tells.
 */
import { type Experiment, walkOperations } from '../experiment/experiment.ts';
import { joinedWith } from '../trace/correlation.ts';
import type { RowRange } from '../trace/rows.ts';
import { type RowIndex, rowKinds, type Trace } from '../trace/trace.ts';

export interface Flow {
  readonly kind: 'issues' | 'releases';
  readonly from: RowIndex;
  readonly to: RowIndex;
}

const code = (kind: (typeof rowKinds)[number]): number => rowKinds.indexOf(kind);
const [callCode, recordCode, waitCode, syncCode] = [
  ...[code('host-call'), code('event-record'), code('event-wait'), code('host-sync')],
];

/** All flows of which a row is an end, and the others of the call that issued it. Looks through the rows anew. */
export function flowsOf(trace: Trace, range: RowRange, experiment: Experiment | null, row: RowIndex): Flow[] {
  return [...issueFlows(trace, range, row), ...(experiment === null ? [] : eventFlows(trace, range, experiment, row))];
}

function issueFlows(trace: Trace, range: RowRange, row: RowIndex): Flow[] {
  const rows = [row, ...joinedWith(trace, range, row)];
  const call = rows.find((one) => trace.columns.kind[one] === callCode);
  if (call === undefined) return [];
  return rows.filter((one) => one !== call).map((to) => ({ kind: 'issues', from: call, to }));
}

/** Numbers of the operations that record an event, and of those that wait for it: in a stream or on the host. */
interface EventOperations {
  readonly records: ReadonlySet<number>;
  readonly waits: ReadonlySet<number>;
}

/** A row and when its call was issued, which decides what it means. */
interface Issued {
  readonly row: RowIndex;
  readonly issuedNs: number;
}

function eventFlows(trace: Trace, range: RowRange, experiment: Experiment, row: RowIndex): Flow[] {
  const { kind, op } = trace.columns;
  if (![recordCode, waitCode, syncCode].includes(kind[row] ?? -1)) return [];
  const event = eventOf(experiment, op[row] ?? -1);
  if (event === null) return [];
  const records = issued(trace, range, event.records, [recordCode as number]);
  const waits = issued(trace, range, event.waits, [waitCode as number, syncCode as number]);
  return waits.flatMap(({ row: to, issuedNs }): Flow[] => {
    const record = latestBefore(records, issuedNs);
    if (record === null || (row !== to && row !== record)) return [];
    return [{ kind: 'releases', from: record, to }];
  });
}

/** The operations on the event that operation `number` names; null where it names none. */
function eventOf(experiment: Experiment, number: number): EventOperations | null {
  const records = new Map<number, string>();
  const waits = new Map<number, string>();
  let next = 0;
  for (const { operations } of experiment.threads) {
    walkOperations(operations, (operation) => {
      if (operation.op === 'recordEvent') records.set(next, operation.event);
      if (operation.op === 'waitEvent' || operation.op === 'synchronizeEvent') waits.set(next, operation.event);
      next += 1;
    });
  }
  const event = records.get(number) ?? waits.get(number);
  if (event === undefined) return null;
  const of = (all: ReadonlyMap<number, string>): Set<number> =>
    new Set([...all].flatMap(([one, name]) => (name === event ? [one] : [])));
  return { records: of(records), waits: of(waits) };
}

/** In order of issue. The n-th time of an operation has its n-th call, where each has one. */
function issued(trace: Trace, range: RowRange, ops: ReadonlySet<number>, kinds: readonly number[]): Issued[] {
  const { kind, op, startNs } = trace.columns;
  const found = new Map<number, { readonly rows: RowIndex[]; readonly calls: RowIndex[] }>();
  for (let row = range.from; row < range.to; row += 1) {
    const number = op[row] as number;
    if (!ops.has(number)) continue;
    const own = found.get(number) ?? { rows: [], calls: [] };
    found.set(number, own);
    if (kinds.includes(kind[row] as number)) own.rows.push(row);
    else if (kind[row] === callCode) own.calls.push(row);
  }
  const start = (row: RowIndex): number => startNs[row] ?? 0;
  const all = [...found.values()].flatMap(({ rows, calls }) =>
    rows.map((row, index) => ({
      row,
      issuedNs: start(calls.length === rows.length ? (calls[index] ?? row) : row),
    })),
  );
  return all.sort((a, b) => a.issuedNs - b.issuedNs);
}

function latestBefore(records: readonly Issued[], issuedNs: number): RowIndex | null {
  let latest: RowIndex | null = null;
  for (const record of records) {
    if (record.issuedNs > issuedNs) break;
    latest = record.row;
  }
  return latest;
}
