/** A published table as bars, grouped by source. */
import type { Figure } from '../../core/apps/lessons/figure.ts';
import { Chart } from '../charts/Chart.tsx';
import type { BarSpec, Cell } from '../charts/spec.ts';
import classes from './Lesson.module.css';
import { InlineMarkdown } from './Markdown.tsx';

export function FigureView({ figure }: { readonly figure: Figure }) {
  return (
    <div className={classes['figure']}>
      <Chart
        spec={figureSpec(figure)}
        height={Math.max(180, 34 * figure.cases.length * figure.series.length * 0.62 + 70)}
      />
      {figure.series.map((series) => (
        <Missing key={series.name} cases={figure.cases} {...series} />
      ))}
      <p>
        <InlineMarkdown text={figure.reading} />
      </p>
      <ul className={classes['figureSources']}>
        {figure.series.map(({ name, source }) => (
          <li key={name}>
            <strong>{name}:</strong> {source}
          </li>
        ))}
      </ul>
    </div>
  );
}

type Series = Figure['series'][number];

/** Lists the missing figures of a source, since an empty place in a chart explains nothing. */
function Missing({ name, origin, values, cases }: Series & { readonly cases: readonly string[] }) {
  const missing = cases.filter((_, index) => values[index] === null);
  if (missing.length === 0) return null;
  const why = origin === 'published' || origin === 'none published' ? 'none published' : 'not measured';
  return (
    <p className={classes['missing']}>
      {name}, {why}: {missing.length === cases.length ? 'all of them' : missing.join('; ')}.
    </p>
  );
}

const factors: Readonly<Record<Figure['unit'], number>> = { ms: 1e6, us: 1e3, 'GB/s': 1e9, calls: 1 };

/** Returns the chart of a figure. All its figures are of earlier measurements, so their origin is "recorded". */
export function figureSpec({ title, unit, cases, series, date }: Figure): BarSpec {
  return {
    kind: 'bars',
    title,
    provenance: { origins: ['recorded'], device: '', date },
    by: 'Case',
    categories: cases.map((label) => ({ label })),
    value:
      unit === 'GB/s'
        ? { name: 'Bandwidth', unit: 'B/s' }
        : unit === 'calls'
          ? { name: 'Calls', unit: 'count' }
          : { name: 'Time', unit: 'ns' },
    rows: series.map(({ name, values, spread }) => ({
      name,
      cells: values.map((value, index): Cell => {
        if (value === null) return null;
        const half = spread?.[index] ?? null;
        const base = value * factors[unit];
        return half === null
          ? { value: base }
          : { value: base, low: base - half * factors[unit], high: base + half * factors[unit] };
      }),
    })),
  };
}
