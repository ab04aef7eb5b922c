import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinCalls } from '../../../core/trace/correlation.ts';
import {
  allRows,
  iterationRows,
  iterationsOf,
  laneRows,
  makespanNs,
  readRow,
  rowEndNs,
} from '../../../core/trace/rows.ts';
import { lanes, smallTrace, traceArbitrary } from './fixtures.ts';

const trace = smallTrace(3);
const laneIndex = (id: string): number => trace.lanes.findIndex((lane) => lane.id === id);
const rowOf = (kind: string, iteration: number): number => {
  const { from, to } = iterationRows(trace, iteration);
  for (let row = from; row < to; row += 1) if (readRow(trace, row).kind === kind) return row;
  throw new Error(`no ${kind}`);
};

it('rows of an iteration are just those of that iteration, for any trace', () => {
  fc.assert(
    fc.property(traceArbitrary, (any) => {
      const iterations = [...any.columns.iteration];
      expect(iterationsOf(any)).toEqual([...new Set(iterations)]);
      for (const wanted of [0, 1, 2, ...iterations]) {
        const { from, to } = iterationRows(any, wanted);
        const found = iterations.flatMap((iteration, row) => (iteration === wanted ? [row] : []));
        expect(Array.from({ length: to - from }, (_, index) => from + index)).toEqual(found);
      }
    }),
  );
});

describe('rows of a lane', () => {
  it('are those that belong to a stream, and those that an engine did', () => {
    const kinds = (id: string): string[] =>
      [...laneRows(trace, laneIndex(id), iterationRows(trace, 1))].map((row) => readRow(trace, row).kind);
    expect(kinds(lanes.main.id)).toEqual(['host-call', 'host-call', 'host-sync']);
    expect(kinds(lanes.copy.id)).toEqual(['copy']);
    expect(kinds(lanes.h2d.id)).toEqual(['copy']);
    expect(kinds(lanes.sm.id)).toEqual(['kernel']);
    expect(kinds(lanes.compute.id)).toEqual(['kernel', 'event-record']);
  });

  it('together are all rows, each once on its own lane', () => {
    fc.assert(
      fc.property(traceArbitrary, (any) => {
        const owners = any.lanes.flatMap(({ kind }, lane) =>
          kind === 'stream' || kind === 'host-thread' ? [lane] : [],
        );
        const rows = owners.flatMap((lane) => [...laneRows(any, lane)]).sort((a, b) => a - b);
        expect(rows).toEqual(Array.from({ length: any.count }, (_, row) => row));
      }),
    );
  });
});

describe('a row', () => {
  it('unknown values of a row are null', () => {
    const mark = readRow(trace, rowOf('event-record', 0));
    expect(mark).toMatchObject({ op: null, correlation: null, engine: null, channel: null });
  });

  it.each([-1, 18, 0.5, Number.NaN])('a row at %d is refused, because it does not exist', (row) => {
    expect(() => readRow(trace, row)).toThrow(RangeError);
  });
});

it('makespan is the largest end of any row', () => {
  fc.assert(
    fc.property(traceArbitrary, (any) => {
      const ends = Array.from({ length: any.count }, (_, row) => rowEndNs(any, row));
      expect(makespanNs(any, allRows(any))).toBe(Math.max(0, ...ends));
    }),
  );
});

describe('a call and its activity', () => {
  it('find each other within their iteration', () => {
    const join = joinCalls(trace, iterationRows(trace, 1));
    const copy = rowOf('copy', 1);
    const call = join.callOf(copy);
    expect(call === null ? null : readRow(trace, call)).toMatchObject({ name: 'cudaMemcpyAsync', iteration: 1 });
    expect(join.activitiesOf(call ?? -1)).toEqual([copy]);
  });

  it('a call and its activity find nothing if no correlation was recorded', () => {
    const join = joinCalls(trace, iterationRows(trace, 1));
    expect(join.callOf(rowOf('event-record', 1))).toBeNull();
    expect(join.activitiesOf(rowOf('host-sync', 1))).toEqual([]);
  });
});
