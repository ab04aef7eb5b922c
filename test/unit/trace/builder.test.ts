import { describe, expect, it } from 'vitest';
import { type Row, TraceBuilder } from '../../../core/trace/builder.ts';
import { validateColumns } from '../../../core/trace/rules.ts';
import { lanes, smallTrace } from './fixtures.ts';

function built(...rows: Partial<Row>[]) {
  const builder = new TraceBuilder();
  for (const lane of Object.values(lanes)) builder.lane(lane);
  for (const row of rows) builder.add({ startNs: 0, durationNs: 1, lane: 0, kind: 'host-work', name: 'row', ...row });
  return builder.build();
}

describe('the builder', () => {
  it('declares a lane once', () => {
    const builder = new TraceBuilder();
    expect([builder.lane(lanes.main), builder.lane(lanes.copy), builder.lane(lanes.main)]).toEqual([0, 1, 0]);
  });

  it('sorts by iteration, then start, then the longer first, then as added', () => {
    const { columns, names } = built(
      { iteration: 1, name: 'next' },
      { startNs: 5, durationNs: 1, name: 'inner' },
      { startNs: 5, durationNs: 9, name: 'outer' },
      { startNs: 5, durationNs: 1, name: 'second' },
      { startNs: 2, name: 'first' },
    );
    expect([...columns.name].map((name) => names[name])).toEqual(['first', 'outer', 'inner', 'second', 'next']);
  });

  it('keeps as many rows as it is given', () => {
    const { count, columns } = built(...Array.from({ length: 1000 }, (_, row) => ({ startNs: row, op: row })));
    expect(count).toBe(1000);
    expect([...columns.op]).toEqual(Array.from({ length: 1000 }, (_, row) => row));
  });

  it('says what is unknown with the values that mean it', () => {
    const { columns } = built({});
    const first = Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, column[0]]));
    expect(first).toMatchObject({ engine: -1, op: -1, channel: -1, correlation: 0, bytes: 0, srcMemory: 0 });
  });

  it.each<[Partial<Row>, string]>([
    [{ startNs: -1 }, 'startNs'],
    [{ startNs: Number.NaN }, 'startNs'],
    [{ durationNs: Number.POSITIVE_INFINITY }, 'durationNs'],
    [{ bytes: -1 }, 'bytes'],
    [{ op: -2 }, 'op'],
    [{ op: 0.5 }, 'op'],
    [{ iteration: 2 ** 31 }, 'iteration'],
    [{ correlation: -1 }, 'correlation'],
    [{ channel: -2 }, 'channel'],
    [{ kind: 'nap' as never }, 'kind'],
    [{ src: 'cloud' as never }, 'src'],
    [{ dst: 'cloud' as never }, 'dst'],
    [{ channelType: 'river' as never }, 'channelType'],
    [{ lane: 9 }, 'lane'],
    [{ lane: -1 }, 'lane'],
    [{ lane: 1 }, 'lane'],
    [{ lane: 0, kind: 'kernel' }, 'lane'],
    [{ lane: 0, kind: 'host-function' }, 'lane'],
    [{ lane: 1, kind: 'copy', engine: 1 }, 'engine'],
    [{ lane: 1, kind: 'copy', engine: 7 }, 'engine'],
  ])('refuses %o, naming %s', (row, field) => {
    expect(() => built(row)).toThrow(expect.objectContaining({ code: 'trace.invalid', field }));
  });

  it.each<Partial<Row>>([
    { lane: 1, kind: 'copy', engine: 3 },
    { lane: 1, kind: 'host-function' },
    { lane: 2, kind: 'kernel', engine: 4 },
    { lane: 1, kind: 'event-record', durationNs: 0, engine: -1 },
  ])('takes %o', (row) => {
    expect(built(row).count).toBe(1);
  });

  it('makes only traces that the rules for whole columns accept', () => {
    expect(() => validateColumns(smallTrace(3))).not.toThrow();
  });
});
