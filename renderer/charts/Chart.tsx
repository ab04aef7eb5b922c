/**
 * The one chart of the window: bars, lines or a heat map from a ChartSpec (spec.ts).
 *
 *   <Chart spec={spec} />                          a chart that can become a table, with the menu of SaveMenu.tsx
 *   <Chart spec={spec} onOpen={(id) => …} />       a click, Enter on a point, or the table's button opens a point's id
 *   <Chart spec={spec} height={320} tools={…} />   its own height, and controls next to its title
 *
 * It takes data and no store. ECharts loads with the first drawn chart (dynamic import), so importing this file is cheap.
 * strategies.ts, bandwidth.ts and breakdowns.ts make specs.
 */
import { Loader, SegmentedControl } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { saveBlob } from '../common/files.ts';
import { useScheme } from '../common/hooks.ts';
import { OriginBadge } from '../common/marks.tsx';
import type { Scheme } from '../common/palette.ts';
import classes from './Chart.module.css';
import { ChartTable } from './ChartTable.tsx';
import { lookOf } from './look.ts';
import { type Saved, SaveMenu } from './SaveMenu.tsx';
import { type ChartSpec, fullTitle, provenanceLine } from './spec.ts';
import { chartCsv } from './table.ts';

const Drawing = lazy(async () => ({ default: (await import('./Drawing.tsx')).Drawing }));

interface Props {
  readonly spec: ChartSpec;
  /** Receives the id of the chosen cell. */
  readonly onOpen?: (id: string) => void;
  /** Height of the drawn chart in pixels. */
  readonly height?: number;
  /** Controls next to the title. */
  readonly tools?: ReactNode;
}

export function Chart({ spec, onOpen, height = 360, tools }: Props) {
  const [as, setAs] = useState<'chart' | 'table'>('chart');
  const title = fullTitle(spec);
  const scheme = useScheme();
  const saved = useMemo(() => savedChart(spec, scheme), [spec, scheme]);
  const origins = [...new Set(spec.provenance.origins)];
  return (
    <figure className={classes['chart']} aria-label={title}>
      <figcaption className={classes['head']}>
        <div className={classes['title']}>
          <h3>{title}</h3>
          <p>{provenanceLine(spec)}</p>
        </div>
        <div className={classes['tools']}>
          {origins.map((origin) => (
            <OriginBadge key={origin} origin={origin} compact />
          ))}
          {tools}
          <SegmentedControl
            size="xs"
            aria-label={`Show ${spec.title} as`}
            value={as}
            onChange={(value) => setAs(value === 'table' ? 'table' : 'chart')}
            data={[
              { value: 'chart', label: 'Chart' },
              { value: 'table', label: 'Table' },
            ]}
          />
          <SaveMenu saved={saved} />
        </div>
      </figcaption>
      {as === 'table' ? (
        <ChartTable spec={spec} onOpen={onOpen} />
      ) : (
        <div className={classes['body']} style={{ height }}>
          <Suspense fallback={<Loader size={20} className={classes['loader'] ?? ''} />}>
            <Drawing spec={spec} onOpen={onOpen} />
          </Suspense>
        </div>
      )}
    </figure>
  );
}

/** Returns what the save menu of the chart offers. */
function savedChart(spec: ChartSpec, scheme: Scheme): Saved {
  const name = fileName(spec);
  return {
    name: spec.title,
    fileName: name,
    svg: async (width) => (await import('./engine.ts')).drawn(spec, lookOf(scheme), width),
    figures: () => saveBlob(`${name}.csv`, new Blob([chartCsv(spec)], { type: 'text/csv' })),
    text: () => chartCsv(spec),
  };
}

/** Returns a name such as 'makespan-by-chunk-size-simulated'. */
const fileName = (spec: ChartSpec): string =>
  fullTitle(spec)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80) || 'chart';
