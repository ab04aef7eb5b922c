/** Charts of a sweep: lines over numbers, bars over names, heat maps over two axes, and several sweeps together. */

import { axisText } from '../../core/apps/sweep/amounts.ts';
import { type Figures, type Metric, metrics } from '../../core/apps/sweep/metrics.ts';
import { lowerFirst, type PlannedAxis, type SweepPlan } from '../../core/apps/sweep/plan.ts';
import type { ErrorInfo } from '../../core/errors.ts';
import type { RunOrigin } from '../../core/trace/run.ts';
import {
  type BarSpec,
  type Cell,
  type ChartSpec,
  type HeatSpec,
  isReading,
  type LineSpec,
  type Provenance,
  type Quantity,
  type Row,
} from '../charts/spec.ts';
import { formatMoment } from '../common/time.ts';

/** Data of a sweep for its charts, from the host or a report. */
export interface ChartedSweep {
  readonly summary: { readonly origin: RunOrigin; readonly device: string; readonly createdAt: string };
  readonly outcomes: readonly ChartedOutcome[];
}

type ChartedOutcome =
  | {
      readonly point: number;
      readonly status: 'done';
      /** Without an id if its run is not available. */
      readonly run: { readonly id?: string; readonly createdAt: string; readonly device: string };
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

/** Returns the reading of a point, the reason for a failure, or null if it was not reached. */
function cellOf(outcome: ChartedOutcome | undefined, metric: Metric): Cell {
  if (outcome === undefined) return null;
  // A failed point left no run with a device: with Slurm, one node may fail all its points.
  if (outcome.status === 'failed') return { problem: outcome.error.message, device: '' };
  const spread = outcome.figures[metric.id] ?? null;
  if (spread === null) return null;
  const { median: value, min: low, max: high, count } = spread;
  return { value, low, high, count, device: outcome.run.device, ...idOf(outcome.run) };
}

const idOf = ({ id }: { readonly id?: string }) => (id === undefined ? {} : { id });

const quantity = ({ title, unit, values, names }: PlannedAxis) => ({ name: title, unit, values, names });

/** The axes of a plan as drawn: numbers go to the right, names become lines. */
interface Drawn {
  readonly x: PlannedAxis;
  readonly series: PlannedAxis | null;
  /** Returns the point at an index of each axis. */
  point(x: number, series: number): number;
}

function drawn({ axes }: SweepPlan): Drawn {
  const [first, second] = axes;
  if (first === undefined) throw new RangeError('a sweep has at least one axis');
  if (second === undefined) return { x: first, series: null, point: (x) => x };
  const width = second.values.length;
  if (first.names !== null && second.names === null) {
    return { x: second, series: first, point: (x, series) => series * width + x };
  }
  return { x: first, series: second, point: (x, series) => x * width + series };
}

/** Returns a row for each value of the second axis. */
function rowsOf(sweep: ChartedSweep, plan: SweepPlan, metric: Metric): Row[] {
  const { x, series, point } = drawn(plan);
  const outcomes = outcomesOf(sweep);
  return (series?.values ?? [null]).map((value, row) => ({
    name: series === null || value === null ? metric.label : `${series.title} ${axisText(series, value)}`,
    cells: x.values.map((_, column) => cellOf(outcomes.get(point(column, row)), metric)),
  }));
}

/** Returns lines over numbers, one for each value of the other axis; bars if both axes have names. */
export function sweepLines(sweep: ChartedSweep, plan: SweepPlan, metric: Metric): LineSpec | BarSpec {
  const { x } = drawn(plan);
  const rows = rowsOf(sweep, plan, metric);
  const common = {
    title: titleOf(plan, metric),
    provenance: provenanceOf(sweep),
    value: { name: metric.label, unit: metric.unit },
  };
  if (x.names !== null) {
    const categories = x.values.map((value) => ({ label: axisText(x, value) }));
    return { kind: 'bars', ...common, by: x.title, categories, rows };
  }
  const limit = linkLimit(sweep, metric, x.values.length);
  return {
    kind: 'lines',
    ...common,
    x: { ...quantity(x), scale: x.scale === 'geometric' && x.values.every((one) => one > 0) ? 'log' : 'linear' },
    rows: [...withEngine(rows, sweep, plan, metric), ...(limit === null ? [] : [limit])],
  };
}

const engineMetrics: Readonly<Record<string, string>> = { h2dDelivered: 'h2dBandwidth', d2hDelivered: 'd2hBandwidth' };

/** Adds the copy engine's rate to each row of the rate that the program gets. */
function withEngine(rows: readonly Row[], sweep: ChartedSweep, plan: SweepPlan, { id }: Metric): Row[] {
  const engine = metrics.find((metric) => metric.id === engineMetrics[id]);
  if (engine === undefined) return [...rows];
  return rowsOf(sweep, plan, engine).flatMap((beside, at): Row[] => {
    const own = rows[at];
    if (own === undefined) return [];
    return [own, { ...beside, name: rows.length === 1 ? 'copy engine' : `${own.name}, copy engine`, isBeside: true }];
  });
}

/** Returns the link's limit if the metric is a rate over it, and all points used links with one limit. */
function linkLimit({ outcomes }: ChartedSweep, { unit }: Metric, columns: number): Row | null {
  if (unit !== 'B/s') return null;
  const known = outcomes.flatMap((outcome) => (outcome.status === 'done' ? [outcome.linkBytesPerSecond] : []));
  const [limit, other] = new Set(known.filter((rate) => rate !== null));
  if (limit === undefined || other !== undefined) return null;
  return {
    name: 'limit of the PCIe link',
    isLimit: true,
    cells: Array.from({ length: columns }, () => ({ value: limit })),
  };
}

/** Returns a field for each pair: the first axis goes to the right, the second up. */
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

/** Returns a chart for each metric that some point has. */
export function sweepSpecs(sweep: ChartedSweep, plan: SweepPlan): ChartSpec[] {
  const drawn = metrics.map((metric) => sweepHeat(sweep, plan, metric) ?? sweepLines(sweep, plan, metric));
  return drawn.filter(({ rows }) => rows.some(({ cells, isLimit }) => isLimit !== true && cells.some(isReading)));
}

const titleOf = ({ axes }: SweepPlan, { label }: Metric): string =>
  `${label} by ${axes.map(({ title }) => lowerFirst(title)).join(' and ')}`;

export interface Beside {
  readonly name: string;
  /** Start time of its sweep. */
  readonly createdAt: string;
  readonly spec: ChartSpec;
}

/** Returns true if two charts can be joined: both are lines over the same quantity. */
export const canJoin = (a: ChartSpec, b: ChartSpec): a is LineSpec =>
  a.kind === 'lines' && b.kind === 'lines' && isSameAxis(a.x, b.x) && a.value.name === b.value.name;

/** Sizes are comparable, whatever their names; counts only if their names match. */
const isSameAxis = (a: Quantity, b: Quantity): boolean =>
  a.unit === b.unit && (a.unit !== 'count' || a.name === b.name);

/** Joins several sweeps in one chart, with the sweep's name at each line. Leaves out sweeps over another axis. */
export function together(first: Beside, others: readonly Beside[]): ChartSpec {
  const fitting = others.filter(({ spec }) => canJoin(first.spec, spec));
  if (fitting.length === 0 || first.spec.kind !== 'lines') return first.spec;
  const all = toldApart([first, ...fitting]).flatMap(({ name, spec }) =>
    spec.kind === 'lines' ? [{ name, spec }] : [],
  );
  const values = [...new Set(all.flatMap(({ spec }) => spec.x.values))].sort((a, b) => a - b);
  const rows = all.flatMap(({ name, spec }) =>
    spec.rows
      .filter((row) => !isLimit(row))
      .map((row): Row => {
        const at = new Map(spec.x.values.map((value, column) => [value, row.cells[column] ?? null]));
        const own = row.name === spec.value.name ? name : `${name}: ${row.name}`;
        const [origin] = spec.provenance.origins;
        return {
          ...row,
          name: own,
          cells: values.map((value) => at.get(value) ?? null),
          ...(origin === undefined ? {} : { origin }),
        };
      }),
  );
  return {
    ...first.spec,
    title: `${first.spec.value.name} by ${lowerFirst(first.spec.x.name)}, ${all.length} sweeps`,
    provenance: joined(all.map(({ spec }) => spec.provenance)),
    x: { ...first.spec.x, values },
    rows: [...rows, ...limitsOf(all, values.length)],
  };
}

/** Adds the start time to the names of sweeps that share a name, as the picker does. */
const toldApart = (all: readonly Beside[]): Beside[] =>
  all.map((one) => {
    const isAlone = all.filter(({ name }) => name === one.name).length === 1;
    return isAlone ? one : { ...one, name: `${one.name}, ${formatMoment(one.createdAt)}` };
  });

/** Returns one limit if all sweeps share it; else each is named after its sweep. */
function limitsOf(all: readonly { readonly name: string; readonly spec: LineSpec }[], columns: number): Row[] {
  const limits = all.flatMap(({ name, spec }) =>
    spec.rows.filter(isLimit).map((row) => ({ name, row, cell: row.cells[0] ?? null })),
  );
  const rates = new Set(limits.map(({ cell }) => (isReading(cell) ? cell.value : null)));
  const isShared = rates.size === 1 && limits.length === all.length;
  return (isShared ? limits.slice(0, 1) : limits).map(({ name, row, cell }) => ({
    ...row,
    name: isShared ? row.name : `${name}: ${row.name}`,
    cells: Array.from({ length: columns }, () => cell),
  }));
}

const isLimit = (row: Row): boolean => row.isLimit === true;

const joined = (all: readonly Provenance[]): Provenance => ({
  origins: [...new Set(all.flatMap(({ origins }) => origins))],
  device: [...new Set(all.map(({ device }) => device))].filter((device) => device !== '').join(' and '),
  date:
    all
      .map(({ date }) => date)
      .sort()
      .at(-1) ?? '',
});

/** Returns the point with the best median, or null before one is done. */
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
