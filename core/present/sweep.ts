/** The points of a sweep as a table: their values, and their figures or the reason for their absence. */
import { axisText } from '../apps/sweep/amounts.ts';
import { type Figures, type MetricUnit, metrics } from '../apps/sweep/metrics.ts';
import type { SweepPlan } from '../apps/sweep/plan.ts';
import type { ErrorInfo } from '../errors.ts';
import type { Spread } from '../statistics.ts';
import { formatDuration, formatRate, formatShare } from '../units.ts';
import { columns, type TableBlock } from './blocks.ts';

/** Metrics that fit on a line. Charts and --json have all. */
const shown = ['makespan', 'h2dBandwidth', 'd2hBandwidth', 'h2dOverlap', 'kernelUse'];

const formats: Readonly<Record<MetricUnit, (value: number) => string>> = {
  ns: formatDuration,
  'B/s': formatRate,
  share: formatShare,
};

interface Point {
  readonly point: number;
  readonly status: 'done' | 'failed';
  readonly figures?: Figures;
  readonly error?: ErrorInfo;
}

export function pointsTable(plan: SweepPlan, points: readonly Point[]): TableBlock {
  const used = metrics.filter(({ id }) => shown.includes(id));
  return {
    kind: 'table',
    title: 'Points',
    columns: columns(...plan.axes.map(({ title }) => title), ...used.map(({ label }) => label)),
    rows: points.map(({ point, status, figures, error }) => ({
      cells: [
        ...plan.axes.map((axis, index) => axisText(axis, plan.valuesOf(point)[index])),
        ...used.map(({ id, unit }, at) =>
          status === 'failed' ? (at === 0 ? 'failed' : '') : figureText(figures?.[id] ?? null, unit),
        ),
      ],
      detail: status === 'failed' ? (error?.message ?? 'No reason was given.') : undefined,
    })),
  };
}

/** Returns the median, with the spread if there are several iterations. */
function figureText(spread: Spread | null, unit: MetricUnit): string {
  if (spread === null) return '–';
  const format = formats[unit];
  const { median, min, max, count } = spread;
  return count > 1 && max > min ? `${format(median)} (${format(min)} to ${format(max)})` : format(median);
}

/** Returns how much of a sweep is done, also while it runs or after it was stopped. */
export function reachedText(points: readonly Pick<Point, 'status'>[], planned: number): string {
  const failed = points.filter(({ status }) => status === 'failed').length;
  const all = `${planned} ${planned === 1 ? 'point' : 'points'}`;
  const reached = points.length < planned ? `${points.length} of ${all} were reached` : all;
  return `${reached}${failed === 0 ? '' : `, of which ${failed} failed`}.`;
}
