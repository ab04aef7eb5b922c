/** Output of `copyscope sweep --json`. Values are in base units: bytes, nanoseconds, bytes per second, shares. */
import type { ErrorInfo } from '../../errors.ts';
import type { EngineKind } from '../../program/engineKind.ts';
import type { RunInfo, RunOrigin } from '../../trace/run.ts';
import { type Figures, type MetricUnit, metrics } from './metrics.ts';
import type { SweepPlan } from './plan.ts';

export const resultsFormat = 'copyscope/sweep-results';
export const resultsVersion = 1;

export interface SweepResults {
  readonly format: typeof resultsFormat;
  readonly version: typeof resultsVersion;
  readonly name: string;
  readonly createdAt: string;
  readonly engine: EngineKind;
  readonly origin: RunOrigin;
  /** Device or profile. */
  readonly device: string;
  /** `cancelled` if it was stopped before its last point; `points` has the finished ones. */
  readonly status: 'complete' | 'cancelled';
  readonly axes: readonly {
    readonly title: string;
    readonly unit: string;
    readonly values: readonly (number | string)[];
  }[];
  readonly metrics: readonly { readonly id: string; readonly label: string; readonly unit: MetricUnit }[];
  readonly points: readonly PointResults[];
}

export interface PointResults {
  readonly point: number;
  /** One for each axis. */
  readonly values: readonly (number | string)[];
  readonly status: 'done' | 'failed';
  readonly error?: ErrorInfo;
  /** Median, minimum and maximum over the iterations, by metric; null if the metric has no meaning. */
  readonly figures?: Figures;
  /** Interval of a prediction; null for a measurement. */
  readonly makespanInterval?: RunInfo['makespanInterval'];
  readonly bandwidthIntervals?: RunInfo['bandwidthIntervals'];
}

type Facts = Pick<SweepResults, 'createdAt' | 'engine' | 'origin' | 'device' | 'status'>;
type Outcome = Omit<PointResults, 'values'>;

export const sweepResults = (plan: SweepPlan, facts: Facts, outcomes: readonly Outcome[]): SweepResults => ({
  format: resultsFormat,
  version: resultsVersion,
  name: plan.document.name,
  ...facts,
  axes: plan.axes.map(({ title, unit, values, names }) => ({ title, unit, values: names ?? values })),
  metrics: metrics.map(({ id, label, unit }) => ({ id, label, unit })),
  points: outcomes.map((outcome) => ({ ...outcome, values: namedValues(plan, outcome.point) })),
});

const namedValues = ({ axes, valuesOf }: SweepPlan, point: number): (number | string)[] =>
  valuesOf(point).map((value, at) => axes[at]?.names?.[value] ?? value);
