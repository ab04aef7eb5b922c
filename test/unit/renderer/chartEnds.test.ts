/** Charts of a lesson's variants, and of runs on one link, share a scale. */
import { describe, expect, it } from 'vitest';
import { breakdownCharts } from '../../../renderer/charts/breakdowns.ts';
import { lookOf } from '../../../renderer/charts/look.ts';
import { chartOption } from '../../../renderer/charts/option.ts';
import type { ChartSpec } from '../../../renderer/charts/spec.ts';

type Summary = Parameters<typeof breakdownCharts>[0];

const summaryOf = (makespanNs: number, bytesPerSecond: number): Summary =>
  ({
    engines: [{ name: 'H2D engine', kind: 'copy-engine', device: 'gpu', shareOfMakespan: 0.05, bytesPerSecond }],
    host: [],
    temporal: [{ device: 'gpu', computeNs: makespanNs / 2, nonComputeNs: makespanNs / 2, idleNs: 0 }],
    device: null,
    profile: 'h200',
    machine: null,
    createdAt: '2026-11-20T08:00:00.000Z',
  }) as unknown as Summary;

const ends = { makespanNs: 1.3591e6, bytesPerSecond: 55.5e9 };
const chartsOf = (makespanNs: number, rate: number) =>
  breakdownCharts(summaryOf(makespanNs, rate), 'simulated', [makespanNs, makespanNs], ends);

function axisOf(spec: ChartSpec): { readonly max: unknown; readonly name: unknown } {
  const { xAxis, yAxis } = chartOption(spec, lookOf('light'), { width: 700, height: 300, withTitle: false }) as {
    readonly xAxis: { readonly max: unknown; readonly name: unknown };
    readonly yAxis: { readonly max: unknown; readonly name: unknown };
  };
  const { max, name } = spec.kind === 'bars' ? xAxis : yAxis;
  return { max, name };
}

describe('the value axes of a run’s charts', () => {
  const long = chartsOf(1.3591e6, 16e9);
  const short = chartsOf(3.9e5, 55e9);

  it('end where those of the other variants do, in the same unit', () => {
    expect(long.map(axisOf)).toEqual(short.map(axisOf));
    expect(short.map((spec) => axisOf(spec).max)).toEqual([100, 56, 1.4, 1.4]);
  });

  it('go further where a value is larger', () => {
    expect(chartsOf(5e6, 60e9).map((spec) => axisOf(spec).max)).toEqual([100, 60, 5, 5]);
  });
});
