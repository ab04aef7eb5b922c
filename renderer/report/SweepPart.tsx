/** A sweep: a chart for each figure of its points, and a table of all points. */
import { useMemo } from 'react';
import { parseSweep } from '../../core/apps/sweep/parse.ts';
import type { SweepPlan } from '../../core/apps/sweep/plan.ts';
import type { ReportSweep } from '../../core/present/document.ts';
import { pointsTable, reachedText } from '../../core/present/sweep.ts';
import { Blocks } from '../blocks/Blocks.tsx';
import { Chart } from '../charts/Chart.tsx';
import { type ChartedSweep, sweepSpecs } from '../sweep/specs.ts';
import classes from './Report.module.css';

export function SweepPart({ sweep }: { readonly sweep: ReportSweep }) {
  const plan = useMemo(() => planOf(sweep), [sweep]);
  const specs = useMemo(() => (plan === null ? [] : sweepSpecs(charted(sweep), plan)), [sweep, plan]);
  return (
    <section aria-label="Sweep">
      <h2>Sweep</h2>
      {sweep.document.description === '' ? null : <p>{sweep.document.description}</p>}
      <p>
        {reachedText(sweep.points, plan?.count ?? sweep.points.length)} Each chart shows its figures as a table too.
      </p>
      <div className={classes['charts']}>
        {specs.map((spec) => (
          <Chart key={`${spec.kind} ${spec.title}`} spec={spec} height={360} />
        ))}
      </div>
      {plan === null ? null : <Blocks blocks={[pointsTable(plan, sweep.points)]} />}
      <details className={classes['document']}>
        <summary>The sweep’s document (JSON): copyscope sweep runs it</summary>
        <pre>{JSON.stringify(sweep.document, null, 2)}</pre>
      </details>
    </section>
  );
}

function planOf({ document }: ReportSweep): SweepPlan | null {
  const parsed = parseSweep(document);
  return parsed.ok ? parsed.plan : null;
}

const charted = (sweep: ReportSweep): ChartedSweep => ({
  summary: sweep,
  outcomes: sweep.points.map((point) =>
    point.status === 'done' ? { ...point, run: { createdAt: point.createdAt, device: point.device } } : point,
  ),
});
