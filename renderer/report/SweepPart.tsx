/** A sweep: a chart for each figure that its points have, and all points in a table. */
import { useMemo } from 'react';
import type { ReportSweep } from '../../core/report/document.ts';
import { parseSweep } from '../../core/sweep/parse.ts';
import { Chart } from '../charts/Chart.tsx';
import { type ChartedSweep, sweepSpecs } from '../sweep/specs.ts';
import classes from './Report.module.css';

export function SweepPart({ sweep }: { readonly sweep: ReportSweep }) {
  const specs = useMemo(() => specsOf(sweep), [sweep]);
  const failed = sweep.points.filter(({ status }) => status === 'failed').length;
  return (
    <section aria-label="Sweep">
      <h2>Sweep</h2>
      {sweep.document.description === '' ? null : <p>{sweep.document.description}</p>}
      <p>
        {sweep.points.length} points{failed === 0 ? '' : `, of which ${failed} failed`}. Each chart shows its figures as
        a table too.
      </p>
      <div className={classes['charts']}>
        {specs.map((spec) => (
          <Chart key={`${spec.kind} ${spec.title}`} spec={spec} height={360} />
        ))}
      </div>
      <details className={classes['document']}>
        <summary>The sweep’s document (JSON): copyscope sweep runs it</summary>
        <pre>{JSON.stringify(sweep.document, null, 2)}</pre>
      </details>
    </section>
  );
}

function specsOf(sweep: ReportSweep) {
  const parsed = parseSweep(sweep.document);
  if (!parsed.ok) return [];
  const charted: ChartedSweep = {
    summary: sweep,
    outcomes: sweep.points.map((point) =>
      point.status === 'done' ? { ...point, run: { createdAt: point.createdAt, device: point.device } } : point,
    ),
  };
  return sweepSpecs(charted, parsed.plan);
}
