import { describe, expect, it } from 'vitest';
import { type Row, TraceBuilder } from '../../../core/trace/builder.ts';
import { lanes } from './fixtures.ts';

function built(...rows: Partial<Row>[]) {
  const builder = new TraceBuilder();
  for (const lane of Object.values(lanes)) builder.lane(lane);
  for (const row of rows) builder.add({ startNs: 0, durationNs: 1, lane: 0, kind: 'host-work', name: 'row', ...row });
  return builder.build();
}

describe('the builder', () => {
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
    [{ iteration: 2 ** 31 }, 'iteration'],
    [{ correlation: -1 }, 'correlation'],
    [{ channel: -2 }, 'channel'],
    [{ kind: 'nap' as never }, 'kind'],
    [{ src: 'cloud' as never }, 'srcMemory'],
    [{ dst: 'cloud' as never }, 'dstMemory'],
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
});
