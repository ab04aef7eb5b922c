import fc from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../support/effort.ts';
import { describeNative, type RowView, request, rowsOf, runOnCpu } from './support.ts';

const streams = ['a', 'b', 'blocking', 'default'] as const;
const events = ['e', 'f'] as const;
const stream = fc.constantFrom(...streams);
const event = fc.constantFrom(...events);
const pair = fc.constantFrom(
  ['pageable', 'device1'],
  ['pinned', 'device2'],
  ['device1', 'pinned2'],
  ['device2', 'pageable2'],
  ['device1', 'device2'],
);

const operation = fc.oneof(
  fc.record({
    op: fc.constant('kernel' as const),
    kernel: fc.record({ kind: fc.constant('spin' as const), durationNs: fc.integer({ min: 0, max: 300_000 }) }),
    stream,
  }),
  fc
    .tuple(pair, stream, fc.constantFrom('async' as const, 'blocking-to' as const))
    .map(([[src = '', dst = ''], on, mode]) => ({ op: 'copy' as const, src, dst, stream: on, mode })),
  fc.record({ op: fc.constant('recordEvent' as const), event, stream }),
  fc.record({ op: fc.constant('waitEvent' as const), event, stream }),
  fc.record({ op: fc.constant('synchronizeStream' as const), stream }),
  fc.record({ op: fc.constant('synchronizeEvent' as const), event }),
  fc.record({ op: fc.constant('queryEvent' as const), event }),
  fc.record({ op: fc.constant('work' as const), durationNs: fc.integer({ min: 0, max: 100_000 }) }),
);

const KiB = 1024;
const buffers = [
  { id: 'pageable', memory: 'pageable', bytes: 200 * KiB },
  { id: 'pageable2', memory: 'pageable', bytes: 200 * KiB },
  { id: 'pinned', memory: 'pinned', bytes: 200 * KiB },
  { id: 'pinned2', memory: 'pinned', bytes: 200 * KiB },
  { id: 'device1', memory: 'device', bytes: 200 * KiB },
  { id: 'device2', memory: 'device', bytes: 200 * KiB },
] as const;

const inTurn = (rows: readonly RowView[]): void => {
  for (const [index, row] of rows.entries()) {
    const before = rows[index - 1];
    if (before !== undefined) expect(row.start).toBeGreaterThanOrEqual(before.end);
  }
};

/** Returns rows in order of correlation: for host calls of one thread the order of issue. */
const byIssue = (rows: readonly RowView[]): RowView[] => [...rows].sort((a, b) => a.correlation - b.correlation);

function checkCausality(rows: readonly RowView[]): void {
  const calls = new Map(rows.filter((row) => row.kind === 'host-call').map((row) => [row.correlation, row]));
  for (const row of rows.filter(isOnDevice)) {
    expect(row.correlation).toBeGreaterThan(0);
    expect(row.start).toBeGreaterThanOrEqual(calls.get(row.correlation)?.start ?? Number.POSITIVE_INFINITY);
    expect(calls.get(row.correlation)?.op).toBe(row.op);
  }
}

const isOnDevice = (row: RowView): boolean => !row.kind.startsWith('host-');

/** Checks that a wait delays its stream until the latest record issued before it. */
function checkEvents(rows: readonly RowView[], eventOf: ReadonlyMap<number, string>): void {
  const marks = byIssue(rows.filter((row) => row.kind === 'event-record' || row.kind === 'event-wait'));
  const latest = new Map<string, RowView>();
  for (const mark of marks) {
    const name = eventOf.get(mark.op) ?? '';
    if (mark.kind === 'event-record') latest.set(name, mark);
    else expect(mark.start).toBeGreaterThanOrEqual(latest.get(name)?.start ?? 0);
  }
}

/** Checks that the legacy default stream and blocking streams alternate, in issue order. */
function checkLegacy(rows: readonly RowView[]): void {
  const lanes = ['stream:legacy default', 'stream:blocking'];
  inTurn(byIssue(rows.filter((row) => isOnDevice(row) && lanes.includes(row.lane))));
}

describeNative('small random programs', () => {
  test('keep the orders that CUDA promises', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (operations) => {
        const wanted = request({
          environment: { iterations: 1, warmups: 0 },
          buffers: [...buffers],
          streams: [{ id: 'a' }, { id: 'b' }, { id: 'blocking', flags: 'blocking' }],
          events: events.map((id) => ({ id })),
          operations,
        });
        const rows = rowsOf(await runOnCpu(wanted));
        checkCausality(rows);
        checkLegacy(rows);
        const eventOf = new Map(operations.map((each, op) => [op, 'event' in each ? each.event : '']));
        checkEvents(rows, eventOf);
        for (const lane of new Set(rows.map((row) => row.lane))) {
          inTurn(byIssue(rows.filter((row) => row.lane === lane && isOnDevice(row))));
        }
        for (const engine of ['engine:gpu:h2d', 'engine:gpu:d2h']) inTurn(rows.filter((row) => row.engine === engine));
      }),
      { numRuns: runs(60) },
    );
  });
});
