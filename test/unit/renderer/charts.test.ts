import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lookOf } from '../../../renderer/charts/look.ts';
import { chartOption } from '../../../renderer/charts/option.ts';
import { pointsOf, stepFrom } from '../../../renderer/charts/points.ts';
import type { HeatSpec, LineSpec } from '../../../renderer/charts/spec.ts';
import { strategyBars } from '../../../renderer/charts/strategies.ts';
import { chartCsv } from '../../../renderer/charts/table.ts';

const provenance = { origins: ['simulated'], device: 'NVIDIA H200', date: '2026-11-20T08:00:00.000Z' } as const;

const lines: LineSpec = {
  kind: 'lines',
  title: 'Makespan by chunk size',
  provenance,
  x: { name: 'Chunk size', unit: 'B', values: [1024, 2048, 4096], scale: 'log' },
  value: { name: 'Makespan', unit: 'ns' },
  rows: [
    {
      name: 'Streams 1',
      cells: [{ value: 3e6, low: 2e6, high: 4e6, count: 5, id: 'a' }, null, { value: 1e6, id: 'b' }],
    },
    { name: '=cmd|"x"', origin: 'measured', cells: [{ value: 2e6 }, { problem: 'a chunk is too large' }, null] },
    { name: 'limit', isLimit: true, cells: [{ value: 5e5 }, { value: 5e5 }, { value: 5e5 }] },
  ],
};

const heat: HeatSpec = {
  kind: 'heat',
  title: 'Makespan by chunk size and streams',
  provenance,
  x: { name: 'Chunk size', unit: 'B', values: [1024, 2048] },
  y: { name: 'Streams', unit: 'count', values: [1, 2] },
  value: { name: 'Makespan', unit: 'ns' },
  rows: [
    { name: '', cells: [{ value: 3e6, id: 'a' }, { problem: 'no' }] },
    { name: '', cells: [null, { value: 1e6, id: 'b' }] },
  ],
};

describe('a chart as a table', () => {
  it('a chart as CSV loses no digit, says its origin in every line, and hides no formula', () => {
    expect(chartCsv(lines).split('\r\n')).toEqual([
      'Series,Chunk size (bytes),Makespan (ns),Least,Most,Iterations,Failed because,Origin,Device,Date',
      'Streams 1,1024,3000000,2000000,4000000,5,,simulated,NVIDIA H200,2026-11-20T08:00:00.000Z',
      'Streams 1,4096,1000000,1000000,1000000,1,,simulated,NVIDIA H200,2026-11-20T08:00:00.000Z',
      `"'=cmd|""x""",1024,2000000,2000000,2000000,1,,measured,NVIDIA H200,2026-11-20T08:00:00.000Z`,
      `"'=cmd|""x""",2048,,,,,a chunk is too large,measured,NVIDIA H200,2026-11-20T08:00:00.000Z`,
      'limit,1024,500000,500000,500000,1,,limit,NVIDIA H200,2026-11-20T08:00:00.000Z',
      'limit,2048,500000,500000,500000,1,,limit,NVIDIA H200,2026-11-20T08:00:00.000Z',
      'limit,4096,500000,500000,500000,1,,limit,NVIDIA H200,2026-11-20T08:00:00.000Z',
      '',
    ]);
    expect(chartCsv(heat).split('\r\n')[2]).toBe('1,2048,,,,,no,simulated,NVIDIA H200,2026-11-20T08:00:00.000Z');
  });
});

describe('the points of a chart', () => {
  it('are all reached by keys, from any of them', () => {
    const cell = fc.constantFrom(null, { value: 1 }, { problem: 'no' });
    const grid = fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(grid, (cells) => {
        const spec: LineSpec = { ...lines, rows: cells.map((row, index) => ({ name: String(index), cells: row })) };
        const points = pointsOf(spec);
        fc.pre(points.length > 0);
        const reached = new Set([0]);
        for (const at of reached) {
          for (const key of ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End'] as const) {
            const next = stepFrom(points, at, key);
            expect(points[next]).toBeDefined();
            reached.add(next);
          }
        }
        expect(reached.size).toBe(points.length);
      }),
    );
  });
});

describe('drawing a chart', () => {
  const texts = (spec: Parameters<typeof chartOption>[0], withTitle: boolean): string =>
    JSON.stringify(chartOption(spec, lookOf('light'), { width: 800, height: 400, withTitle }));

  it.each([lines, heat, strategyBars([])])('says in title, legend and file what the numbers are ($kind)', (spec) => {
    const drawn = texts(spec, true);
    if (spec.provenance.origins.length === 0) return;
    expect(drawn).toContain(`${spec.title}, simulated`);
    expect(drawn).toContain('Simulated on NVIDIA H200, 2026-11-20');
    expect(texts(spec, false)).toMatch(/Streams 1, simulated|Makespan \(ms\), simulated/);
  });

  it('never draws what is missing or failed as nothing taken', () => {
    const option = chartOption(lines, lookOf('dark'), { width: 800, height: 400, withTitle: false });
    const [first, second] = option['series'] as { data: { value: unknown[] }[] }[];
    expect(first?.data.map(({ value }) => value)).toEqual([
      [1024, 3],
      [4096, 1],
    ]);
    expect(second?.data.map(({ value }) => value)).toEqual([
      [1024, 2],
      [2048, null],
    ]);
  });
});
