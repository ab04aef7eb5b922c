import { describe, expect, it } from 'vitest';
import { allFlows, type Flow, flowsOf } from '../../../core/explain/figures/flows.ts';
import { TraceBuilder } from '../../../core/trace/builder.ts';
import { allRows } from '../../../core/trace/rows.ts';
import type { RowKind, Trace } from '../../../core/trace/trace.ts';
import { simulatedExample } from '../export/support.ts';
import { experimentOf } from '../support/experiments.ts';

const wait = { op: 'waitEvent', event: 'one', stream: 'b' };
const experiment = experimentOf({ streams: [{ id: 'a' }, { id: 'b' }], events: [{ id: 'one' }, { id: 'other' }] }, [
  { op: 'repeat', count: 2, operations: [{ op: 'recordEvent', event: 'one', stream: 'a' }, wait] },
  { op: 'recordEvent', event: 'other', stream: 'a' },
  { op: 'synchronizeEvent', event: 'one' },
  wait,
]);

/** Makes a trace of rows [kind, lane, start, op], with an optional correlation. */
function traceOf(rows: readonly (readonly [RowKind, 'main' | 'a' | 'b', number, number, number?])[]): Trace {
  const builder = new TraceBuilder();
  const lanes = {
    main: builder.lane({ kind: 'host-thread', id: 'thread:main', name: 'main', device: '' }),
    a: builder.lane({ kind: 'stream', id: 'stream:a', name: 'a', device: 'gpu' }),
    b: builder.lane({ kind: 'stream', id: 'stream:b', name: 'b', device: 'gpu' }),
  };
  for (const [kind, lane, startNs, op, correlation = 0] of rows) {
    const durationNs = kind === 'host-call' || kind === 'host-sync' ? 2 : 0;
    builder.add({ kind, lane: lanes[lane], startNs, durationNs, name: kind, op, correlation });
  }
  return builder.build();
}

const flows = (trace: Trace, row: number) =>
  flowsOf(trace, allRows(trace), experiment, row).map(({ kind, from, to }) => [kind, from, to]);

describe('flows', () => {
  it('lead from the latest record that was issued before to each wait, whenever the stream reached it', () => {
    // Both records are reached after all calls were made.
    const trace = traceOf([
      ['host-call', 'main', 0, 1],
      ['host-call', 'main', 10, 2],
      ['host-call', 'main', 20, 1],
      ['host-call', 'main', 30, 2],
      ['host-sync', 'main', 40, 4],
      ['event-record', 'a', 100, 1],
      ['event-wait', 'b', 101, 2],
      ['event-record', 'a', 110, 1],
      ['event-wait', 'b', 111, 2],
    ]);
    const [first, firstWait, second, secondWait, sync] = [5, 6, 7, 8, 4];
    expect(flows(trace, first)).toEqual([['releases', first, firstWait]]);
    expect(flows(trace, secondWait)).toEqual([['releases', second, secondWait]]);
    expect(flows(trace, second).sort()).toEqual(
      [
        ['releases', second, sync],
        ['releases', second, secondWait],
      ].sort(),
    );
    expect(flows(trace, sync)).toEqual([['releases', second, sync]]);
  });

  it('go by the marks’ own times where no call was recorded', () => {
    const trace = traceOf([
      ['event-record', 'a', 100, 1],
      ['event-wait', 'b', 101, 2],
      ['event-wait', 'b', 130, 5],
    ]);
    expect(flows(trace, 0)).toEqual([
      ['releases', 0, 1],
      ['releases', 0, 2],
    ]);
  });

  it('no flow joins another event, a wait before any record, or a trace without an experiment', () => {
    const trace = traceOf([
      ['event-wait', 'b', 10, 2],
      ['event-record', 'a', 20, 3],
    ]);
    expect([...flows(trace, 0), ...flows(trace, 1)]).toEqual([]);
    const known = traceOf([
      ['event-record', 'a', 100, 1],
      ['event-wait', 'b', 101, 2],
    ]);
    expect(flowsOf(known, allRows(known), null, 0)).toEqual([]);
  });

  it('lead from a call to everything that it issued, whichever of them is asked for', () => {
    const trace = traceOf([
      ['host-call', 'main', 0, 9, 3],
      ['kernel', 'a', 10, 9, 3],
      ['kernel', 'b', 20, 9, 3],
    ]);
    for (const row of [0, 1, 2]) {
      expect(flows(trace, row).sort()).toEqual([
        ['issues', 0, 1],
        ['issues', 0, 2],
      ]);
    }
  });
});

it.each(['races/unordered-streams-event', 'pipelines/strategy-b', 'lessons/running-ahead'])(
  'all flows at once are those of each row of %s',
  (name) => {
    const { trace, info } = simulatedExample(name);
    const range = allRows(trace);
    const text = ({ kind, from, to }: Flow): string => `${kind} ${from} ${to}`;
    const rows = Array.from({ length: Math.min(trace.count, 1500) }, (_, row) => row);
    const single = new Set(rows.flatMap((row) => flowsOf(trace, range, info.experiment, row).map(text)));
    const all = [...allFlows(trace, range, info.experiment)].filter(({ to }) => to < rows.length);
    expect(all.length).toBeGreaterThan(0);
    expect(new Set(all.map(text)).size).toBe(all.length);
    expect([...single].filter((flow) => Number(flow.split(' ')[2]) < rows.length).sort()).toEqual(all.map(text).sort());
  },
);
