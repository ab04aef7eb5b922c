/** A sweep as text: a line for each point, with its figures or the reason for their absence. */

import { axisText } from '../../../core/apps/sweep/amounts.ts';
import type { MetricUnit } from '../../../core/apps/sweep/metrics.ts';
import type { SweepPlan } from '../../../core/apps/sweep/plan.ts';
import type { SweepResults } from '../../../core/apps/sweep/results.ts';
import type { Spread } from '../../../core/statistics.ts';
import { formatDuration, formatRate, formatShare } from '../../../core/units.ts';
import type { Colors } from '../io.ts';
import { table } from './text.ts';

/** Metrics that fit on a line; --json has all. */
const shown = ['makespan', 'h2dBandwidth', 'd2hBandwidth', 'h2dOverlap', 'kernelUse'];

const formats: Readonly<Record<MetricUnit, (value: number) => string>> = {
  ns: formatDuration,
  'B/s': formatRate,
  share: formatShare,
};

export function drawSweep(results: SweepResults, plan: SweepPlan, colors: Colors): string[] {
  const columns = results.metrics.filter(({ id }) => shown.includes(id));
  const failures = results.points.filter(({ status }) => status === 'failed');
  const rows = results.points.map(({ point, status, figures }) => [
    ...plan.axes.map((axis, index) => axisText(axis, plan.valuesOf(point)[index])),
    ...(status === 'failed' ? ['failed'] : columns.map(({ id, unit }) => figureText(figures?.[id] ?? null, unit))),
  ]);
  const { done, all } = { done: results.points.length - failures.length, all: plan.count };
  return [
    colors.bold(results.name),
    `${results.origin} on ${results.device}; ${done} of ${all} points done${failures.length > 0 ? `, ${failures.length} failed` : ''}`,
    '',
    ...table([[...plan.axes.map(({ title }) => title), ...columns.map(({ label }) => label)], ...rows]),
    ...(failures.length > 0 ? ['', colors.bold('Failed')] : []),
    ...failures.map(({ point, error }) => `${plan.nameOf(point)}: ${error?.message ?? 'no reason given.'}`),
  ];
}

/** Returns the median, with the spread if there are several iterations. */
export function figureText(spread: Spread | null, unit: MetricUnit): string {
  if (spread === null) return '–';
  const format = formats[unit];
  const { median, min, max, count } = spread;
  return count > 1 && max > min ? `${format(median)} (${format(min)} to ${format(max)})` : format(median);
}
