/** Every point in its place: its values, its figure or why it has none, and a button that opens its run. */

import { memo } from 'react';
import type { Sweep, SweepOutcome } from '../../core/service/service.ts';
import { amountText } from '../../core/sweep/amounts.ts';
import type { Metric } from '../../core/sweep/metrics.ts';
import type { SweepPlan } from '../../core/sweep/plan.ts';
import { formatValue } from '../charts/quantities.ts';
import { LinkButton } from '../common/LinkButton.tsx';
import classes from './SweepPage.module.css';

interface Props {
  readonly sweep: Sweep;
  readonly plan: SweepPlan;
  readonly metric: Metric;
  readonly onOpen: (run: string) => void;
}

export function PointsTable({ sweep, plan, metric, onOpen }: Props) {
  const outcomes = new Map(sweep.outcomes.map((outcome) => [outcome.point, outcome]));
  const points = Array.from({ length: plan.count }, (_, point) => point);
  return (
    <section className={classes['points']} aria-label="Points">
      <h2>Points</h2>
      <table className="tabular">
        <thead>
          <tr>
            {plan.axes.map(({ title }) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
            <th scope="col">
              {metric.label}, {sweep.summary.origin}
            </th>
            <th scope="col">Least to most</th>
            <th scope="col">Run</th>
          </tr>
        </thead>
        <tbody>
          {points.map((point) => (
            <PointRow
              key={point}
              plan={plan}
              point={point}
              metric={metric}
              outcome={outcomes.get(point)}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

interface RowProps {
  readonly plan: SweepPlan;
  readonly point: number;
  readonly metric: Metric;
  readonly outcome: SweepOutcome | undefined;
  readonly onOpen: (run: string) => void;
}

/** Drawn anew only when its own point has changed: a sweep may have a thousand. */
const PointRow = memo(function PointRow({ plan, point, metric, outcome, onOpen }: RowProps) {
  const values = plan.valuesOf(point);
  return (
    <tr data-status={outcome?.status ?? 'open'}>
      {plan.axes.map(({ title, unit }, index) => (
        <td key={title}>{amountText(values[index] ?? 0, unit)}</td>
      ))}
      <Figure outcome={outcome} metric={metric} />
      <td>
        {outcome?.status === 'done' ? (
          <LinkButton label={`Open the run of ${plan.nameOf(point)}`} onClick={() => onOpen(outcome.run.id)}>
            Open
          </LinkButton>
        ) : null}
      </td>
    </tr>
  );
});

function Figure({ outcome, metric }: Pick<RowProps, 'outcome' | 'metric'>) {
  if (outcome === undefined) return <td colSpan={2}>not reached</td>;
  if (outcome.status === 'failed') {
    const { message, remedy } = outcome.error;
    return (
      <td colSpan={2} className={classes['failed']} title={remedy}>
        ✕ failed: {message}
      </td>
    );
  }
  const spread = outcome.figures[metric.id] ?? null;
  if (spread === null) return <td colSpan={2}>means nothing for this run</td>;
  const { median, min, max, count } = spread;
  return (
    <>
      <td>{formatValue(metric.unit, median)}</td>
      <td>
        {count > 1
          ? `${formatValue(metric.unit, min)} to ${formatValue(metric.unit, max)}, ${count} iterations`
          : 'one iteration'}
      </td>
    </>
  );
}
