/** Charts of a sweep: a line over one axis, lines or a heat map over two. */
import type { ErrorInfo } from '../../core/errors.ts';
import { type Figures, type Metric, metrics } from '../../core/sweep/metrics.ts';
import type { PlannedAxis, SweepPlan } from '../../core/sweep/plan.ts';
import type { RunOrigin } from '../../core/trace/run.ts';
import { formatChosen } from '../charts/quantities.ts';
import { type Cell, type HeatSpec, isReading, type LineSpec, type Provenance, type Row } from '../charts/spec.ts';

/** What of a sweep its charts are made from: the host's, and what a report holds. */
export interface ChartedSweep {
  readonly summary: { readonly origin: RunOrigin; readonly device: string; readonly createdAt: string };
  readonly outcomes: readonly ChartedOutcome[];
}

type ChartedOutcome =
  | {
      readonly point: number;
      readonly status: 'done';
      /** Without an id where its run is not at hand. */
      readonly run: { readonly id?: string; readonly createdAt: string };
      readonly figures: Figures;
      readonly linkBytesPerSecond: number | null;
    }
  | { readonly point: number; readonly status: 'failed'; readonly error: ErrorInfo };

type Outcomes = ReadonlyMap<number, ChartedOutcome>;

const outcomesOf = ({ outcomes }: ChartedSweep): Outcomes =>
  new Map(outcomes.map((outcome) => [outcome.point, outcome]));

export const provenanceOf = ({ summary, outcomes }: ChartedSweep): Provenance => {
  const dates = outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.run.createdAt] : []));
  return { origins: [summary.origin], device: summary.device, date: dates.sort().at(-1) ?? summary.createdAt };
};

/** The reading of a point, why it has none, or null where it was not reached. */
function cellOf(outcome: ChartedOutcome | undefined, metric: Metric): Cell {
  if (outcome === undefined) return null;
  if (outcome.status === 'failed') return { problem: outcome.error.message };
  const spread = outcome.figures[metric.id] ?? null;
  if (spread === null) return null;
  return { value: spread.median, low: spread.min, high: spread.max, count: spread.count, ...idOf(outcome.run) };
}

const idOf = ({ id }: { readonly id?: string }) => (id === undefined ? {} : { id });

const lowerFirst = (text: string): string =>
  /^[A-Z][a-z]/.test(text) ? text.charAt(0).toLowerCase() + text.slice(1) : text;

const quantity = ({ title, unit, values }: PlannedAxis) => ({ name: title, unit, values });

/** Lines over the first axis, one for each value of the second. */
export function sweepLines(sweep: ChartedSweep, plan: SweepPlan, metric: Metric): LineSpec {
  const [x, series] = plan.axes;
  if (x === undefined) throw new RangeError('a sweep has at least one axis');
  const outcomes = outcomesOf(sweep);
  const values = series?.values ?? [null];
  const rows: Row[] = values.map((value, row) => ({
    name: series === undefined || value === null ? metric.label : `${series.title} ${formatChosen(series.unit, value)}`,
    cells: x.values.map((_, column) => cellOf(outcomes.get(column * values.length + row), metric)),
  }));
  const limit = linkLimit(sweep, metric, x.values.length);
  return {
    kind: 'lines',
    title: titleOf(plan, metric),
    provenance: provenanceOf(sweep),
    x: { ...quantity(x), scale: x.scale === 'geometric' && x.values.every((one) => one > 0) ? 'log' : 'linear' },
    value: { name: metric.label, unit: metric.unit },
    rows: limit === null ? rows : [...rows, limit],
  };
}

/** The link's own limit, where the metric is what goes over it. */
function linkLimit({ outcomes }: ChartedSweep, { id }: Metric, columns: number): Row | null {
  if (id !== 'h2dBandwidth' && id !== 'd2hBandwidth') return null;
  const known = outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.linkBytesPerSecond] : []));
  const limit = known.find((rate) => rate !== null);
  if (limit == null) return null;
  return {
    name: 'limit of the PCIe link',
    isLimit: true,
    cells: Array.from({ length: columns }, () => ({ value: limit })),
  };
}

/** A field for each pair: the first axis goes right, the second up. */
export function sweepHeat(sweep: ChartedSweep, plan: SweepPlan, metric: Metric): HeatSpec | null {
  const [x, y] = plan.axes;
  if (x === undefined || y === undefined) return null;
  const outcomes = outcomesOf(sweep);
  return {
    kind: 'heat',
    title: titleOf(plan, metric),
    provenance: provenanceOf(sweep),
    x: quantity(x),
    y: quantity(y),
    value: { name: metric.label, unit: metric.unit },
    rows: y.values.map((_, row) => ({
      name: '',
      cells: x.values.map((_value, column) => cellOf(outcomes.get(column * y.values.length + row), metric)),
    })),
  };
}

/** A chart for each metric that some point has. */
export function sweepSpecs(sweep: ChartedSweep, plan: SweepPlan): (HeatSpec | LineSpec)[] {
  const drawn = metrics.map((metric) => sweepHeat(sweep, plan, metric) ?? sweepLines(sweep, plan, metric));
  return drawn.filter(({ rows }) => rows.some(({ cells, isLimit }) => isLimit !== true && cells.some(isReading)));
}

const titleOf = ({ axes }: SweepPlan, { label }: Metric): string =>
  `${label} by ${axes.map(({ title }) => lowerFirst(title)).join(' and ')}`;

/** The point with the best median. Null before one is done. */
export function bestPoint(
  sweep: ChartedSweep,
  metric: Metric,
): { readonly point: number; readonly value: number } | null {
  let best: { point: number; value: number } | null = null;
  for (const outcome of sweep.outcomes) {
    const value = outcome.status === 'done' ? outcome.figures[metric.id]?.median : undefined;
    if (value === undefined) continue;
    const isBetter = best === null || (metric.best === 'least' ? value < best.value : value > best.value);
    if (isBetter) best = { point: outcome.point, value };
  }
  return best;
}
