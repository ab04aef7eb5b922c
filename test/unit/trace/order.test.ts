import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { traceFromColumns } from '../../../core/trace/builder.ts';
import { sortOwned } from '../../../core/trace/order.ts';
import { kindCodes, RowWriter } from '../../../core/trace/rowWriter.ts';
import { emptyColumns, type Lane } from '../../../core/trace/trace.ts';
import { runs } from '../../support/effort.ts';

const row = fc.record({
  iteration: fc.nat({ max: 2 }),
  startNs: fc.nat({ max: 20 }),
  durationNs: fc.nat({ max: 3 }),
  lane: fc.nat({ max: 5 }),
});

it('columns are sorted as by a stable sort by iteration, start and longer first, whatever the lanes', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.nat({ max: 5 }), (rows, spare) => {
      const columns = emptyColumns(rows.length + spare);
      rows.forEach((each, index) => {
        for (const name of ['iteration', 'startNs', 'durationNs', 'lane'] as const) columns[name][index] = each[name];
        columns.op[index] = index;
      });
      const sorted = sortOwned(columns, rows.length);
      const expected = rows
        .map((each, index) => ({ ...each, index }))
        .sort((a, b) => a.iteration - b.iteration || a.startNs - b.startNs || b.durationNs - a.durationNs);
      expect([...sorted.op]).toEqual(expected.map(({ index }) => index));
      expect([...sorted.lane]).toEqual(expected.map(({ lane }) => lane));
    }),
    { numRuns: runs(1000) },
  );
});

describe('rows written after models', () => {
  const lanes: Lane[] = [
    { kind: 'host-thread', id: 'thread:main', name: 'main', device: '' },
    { kind: 'stream', id: 'stream:a', name: 'a', device: 'gpu' },
  ];

  function written(rows: readonly (readonly [lane: number, startNs: number])[], expected = 0) {
    const writer = new RowWriter(lanes, expected);
    for (const [lane, startNs] of rows) {
      const model = writer.model();
      const { models } = writer;
      models.lane[model] = lane;
      models.engine[model] = -1;
      models.kind[model] = kindCodes[lane === 0 ? 'host-work' : 'kernel'];
      models.name[model] = writer.name(`row ${startNs}`);
      writer.add(model, startNs, 1, 0);
    }
    return writer.build();
  }

  it('come in the order of a stable sort, whatever the order of each lane was', () => {
    const lane = (index: number): Lane => ({ kind: 'stream', id: `stream:${index}`, name: `${index}`, device: 'gpu' });
    const many = Array.from({ length: 6 }, (_, index) => lane(index));
    fc.assert(
      fc.property(fc.array(row, { maxLength: 300 }), fc.boolean(), (rows, inOrder) => {
        const added = inOrder ? [...rows].sort((a, b) => a.startNs - b.startNs || b.durationNs - a.durationNs) : rows;
        const writer = new RowWriter(many);
        const columns = emptyColumns(added.length);
        added.forEach(({ startNs, durationNs, lane: index }, at) => {
          const model = writer.model();
          writer.models.lane[model] = index;
          writer.models.engine[model] = -1;
          writer.models.kind[model] = kindCodes.kernel;
          writer.models.name[model] = writer.name('row');
          writer.models.op[model] = at;
          writer.add(model, startNs, durationNs, at);
          columns.lane[at] = index;
          columns.op[at] = at;
          columns.startNs[at] = startNs;
          columns.durationNs[at] = durationNs;
        });
        const built = writer.build().columns;
        expect([...built.op]).toEqual([...sortOwned(columns, added.length).op]);
        expect(built.correlation).toEqual(built.op);
      }),
      { numRuns: runs(500) },
    );
  });

  it('are held to the rules before anything is done with them', () => {
    expect(() => written([[0, -1]])).toThrow(expect.objectContaining({ code: 'trace.invalid', field: 'startNs' }));
    expect(() => written([[2, 0]])).toThrow(expect.objectContaining({ code: 'trace.invalid', field: 'lane' }));
    const columns = emptyColumns(1);
    columns.lane[0] = 0x7fffffff;
    expect(() => traceFromColumns({ count: 1, columns, lanes, names: ['row'] })).toThrow(
      expect.objectContaining({ code: 'trace.invalid', field: 'lane' }),
    );
  });
});
