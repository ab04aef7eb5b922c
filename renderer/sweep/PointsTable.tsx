/** All points in order: values, figure or reason for its absence, and a link to the run. */

import { useMemo } from 'react';
import { axisText } from '../../core/apps/sweep/amounts.ts';
import { mostPoints } from '../../core/apps/sweep/document.ts';
import type { Metric } from '../../core/apps/sweep/metrics.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import type { Sweep, SweepOutcome } from '../../core/service/service.ts';
import { formatValue } from '../charts/quantities.ts';
import { LinkButton } from '../common/buttons.tsx';
import type { DataColumn } from '../common/table/columns.ts';
import { DataTable } from '../common/table/DataTable.tsx';
import classes from './SweepPage.module.css';

interface Props {
  readonly sweep: Sweep;
  readonly plan: SweepPlan;
  readonly metric: Metric;
  readonly onOpen: (run: string) => void;
}

interface Point {
  readonly point: number;
  readonly outcome: SweepOutcome | undefined;
}

export function PointsTable({ sweep, plan, metric, onOpen }: Props) {
  const { outcomes, summary } = sweep;
  const points = useMemo(() => {
    const known = new Map(outcomes.map((outcome) => [outcome.point, outcome]));
    return Array.from({ length: plan.count }, (_, point): Point => ({ point, outcome: known.get(point) }));
  }, [outcomes, plan]);
  const columns = useMemo(
    () => columnsOf(plan, metric, summary.origin, onOpen),
    [plan, metric, summary.origin, onOpen],
  );
  return (
    <section className={classes['points']} aria-label="Points">
      <h2>Points</h2>
      <DataTable
        label="Table of points"
        noun="points"
        empty="The sweep has no point."
        items={points}
        columns={columns}
        keyOf={keyOf}
        rowProps={rowProps}
        atOnce={mostPoints}
        onChoose={({ outcome }) => outcome?.status === 'done' && onOpen(outcome.run.id)}
      />
    </section>
  );
}

const keyOf = ({ point }: Point): string => String(point);
const rowProps = ({ outcome }: Point) => ({ 'data-status': outcome?.status ?? 'open' });

function columnsOf(
  plan: SweepPlan,
  metric: Metric,
  origin: string,
  onOpen: Props['onOpen'],
): readonly DataColumn<Point>[] {
  const spreadIn = ({ outcome }: Point) => (outcome?.status === 'done' ? (outcome.figures[metric.id] ?? null) : null);
  return [
    ...plan.axes.map(
      (axis, at): DataColumn<Point> => ({
        id: `axis${at}`,
        title: axis.title,
        isHead: at === 0,
        value: ({ point }) => plan.valuesOf(point)[at] ?? null,
        cell: ({ point }) => axisText(axis, plan.valuesOf(point)[at]),
      }),
    ),
    {
      id: 'figure',
      title: `${metric.label}, ${origin}`,
      value: (point) => spreadIn(point)?.median ?? null,
      tip: ({ outcome }) => (outcome?.status === 'failed' ? outcome.error.remedy : undefined),
      cell: ({ outcome }) => <Figure outcome={outcome} metric={metric} />,
    },
    {
      id: 'spread',
      title: 'Least to most',
      value: (point) => spreadIn(point)?.min ?? null,
      cell: (point) => {
        const spread = spreadIn(point);
        if (spread === null) return null;
        const { min, max, count } = spread;
        return count > 1
          ? `${formatValue(metric.unit, min)} to ${formatValue(metric.unit, max)}, ${count} iterations`
          : 'one iteration';
      },
    },
    {
      id: 'run',
      title: 'Run',
      value: ({ outcome }) => outcome?.status ?? null,
      cell: ({ point, outcome }) =>
        outcome?.status === 'done' ? (
          <LinkButton label={`Open the run of ${plan.nameOf(point)}`} onClick={() => onOpen(outcome.run.id)}>
            Open
          </LinkButton>
        ) : null,
    },
  ];
}

function Figure({ outcome, metric }: { readonly outcome: SweepOutcome | undefined; readonly metric: Metric }) {
  if (outcome === undefined) return 'not reached';
  if (outcome.status === 'failed') return <span className={classes['failed']}>✕ failed: {outcome.error.message}</span>;
  const spread = outcome.figures[metric.id] ?? null;
  return spread === null ? 'means nothing for this run' : formatValue(metric.unit, spread.median);
}
