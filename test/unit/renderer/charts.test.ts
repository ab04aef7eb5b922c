import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawn } from '../../../renderer/charts/engine.ts';
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

it('the points of a chart are all reached by keys, from any of them', () => {
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

describe('lines over decades', () => {
  const row = (name: string, values: readonly number[]) => ({ name, cells: values.map((value) => ({ value })) });
  const wide: LineSpec = {
    ...lines,
    x: { name: 'Size', unit: 'B', values: [1024, 2048, 1024 * 1024], scale: 'linear' },
    rows: [row('pinned', [1e3, 1e4, 1e6]), row('pageable', [2e3, 1e4, 1e6])],
  };
  const optionOf = (spec: LineSpec) =>
    chartOption(spec, lookOf('light'), { width: 800, height: 400, withTitle: true }) as {
      readonly xAxis: { readonly type: string };
      readonly yAxis: { readonly type: string; readonly name: string };
      readonly series: readonly { readonly lineStyle?: { readonly width: number } }[];
      readonly tooltip: { readonly trigger: string; readonly formatter: (hits: readonly object[]) => string };
    };

  it('have log scales, which their titles name', () => {
    expect(optionOf(wide)).toMatchObject({
      xAxis: { type: 'log' },
      yAxis: { type: 'log', name: 'Makespan (ms), log scale' },
    });
    expect(optionOf({ ...wide, rows: [row('even', [1e6, 2e6, 3e6])] })).toMatchObject({ yAxis: { type: 'value' } });
  });

  it('have a crosshair with every series and its ratio to the first', () => {
    const { tooltip } = optionOf(wide);
    expect(tooltip.trigger).toBe('axis');
    const said = tooltip.formatter([{ data: { row: 1, column: 0 } }]);
    expect(said).toMatch(/pinned: 1\.00 .s\npageable: 2\.00 .s, ×2\.00/);
  });

  it('are wider where a later line would cover them', () => {
    const [below, above] = optionOf(wide).series;
    expect(below?.lineStyle?.width).toBeGreaterThan(above?.lineStyle?.width ?? 0);
    const [first, second] = optionOf({ ...wide, rows: [row('a', [1e3, 1e4, 1e6]), row('b', [2e3, 2e4, 2e6])] }).series;
    expect(first?.lineStyle?.width).toBe(second?.lineStyle?.width);
  });
});

it('draws the whole legend into a picture, inside its frame', () => {
  const rows = Array.from({ length: 12 }, (_, at) => ({
    name: `Chunks of ${at + 1} MiB in ${at} streams with a name that is long`,
    cells: [{ value: 1e6 + at }, { value: 2e6 }, { value: 3e6 }],
  }));
  const { text, height } = drawn({ ...lines, rows }, lookOf('light'), 800);
  for (const { name } of rows) {
    const at = text.match(new RegExp(`translate\\(([\\d.]+) ([\\d.]+)\\)[^>]*>${name}, simulated<`));
    expect(Number(at?.[2])).toBeLessThan(height);
  }
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
