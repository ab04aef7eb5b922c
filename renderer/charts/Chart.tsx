/**
 * The one chart of the window: bars, lines or a heat map from a ChartSpec (spec.ts).
 *
 *   <Chart spec={spec} />                          drawn, with a table instead on demand, and saved as PNG, SVG or CSV
 *   <Chart spec={spec} onOpen={(id) => …} />       a click, Enter on a point, or the table's button opens a point's id
 *   <Chart spec={spec} height={320} tools={…} />   a height of its own, and controls beside its title
 *
 * It takes data and no store. ECharts comes with the first chart that is drawn (dynamic import), so a page may import this
 * file without care. Specs are made by the functions in strategies.ts, bandwidth.ts and breakdowns.ts, or by yours.
 */
import { Button, Loader, Menu, SegmentedControl } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { toErrorInfo } from '../../core/errors.ts';
import { OriginBadge } from '../common/Origin.tsx';
import { saveBlob } from '../common/saveBlob.ts';
import { useScheme } from '../common/usePaints.ts';
import { notifyError } from '../store/notify.ts';
import classes from './Chart.module.css';
import { ChartTable } from './ChartTable.tsx';
import { lookOf } from './look.ts';
import { type ChartSpec, fullTitle, provenanceLine } from './spec.ts';
import { chartCsv } from './table.ts';

const Drawing = lazy(async () => ({ default: (await import('./Drawing.tsx')).Drawing }));

interface Props {
  readonly spec: ChartSpec;
  /** Given the id of the cell that was chosen. */
  readonly onOpen?: (id: string) => void;
  /** Of the drawn chart, in pixels. */
  readonly height?: number;
  /** Controls beside the title. */
  readonly tools?: ReactNode;
}

export function Chart({ spec, onOpen, height = 360, tools }: Props) {
  const [as, setAs] = useState<'chart' | 'table'>('chart');
  const title = fullTitle(spec);
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
          <SaveMenu spec={spec} />
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

function SaveMenu({ spec }: { readonly spec: ChartSpec }) {
  const scheme = useScheme();
  const name = useMemo(() => fileName(spec), [spec]);
  const save = async (as: 'png' | 'svg' | 'csv'): Promise<void> => {
    try {
      if (as === 'csv') return saveBlob(`${name}.csv`, new Blob([chartCsv(spec)], { type: 'text/csv' }));
      const { picture } = await import('./engine.ts');
      saveBlob(`${name}.${as}`, await picture(spec, lookOf(scheme), as));
    } catch (thrown) {
      notifyError('The chart could not be saved', toErrorInfo(thrown, 'chart.not-saved'));
    }
  };
  return (
    <Menu position="bottom-end" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={14} aria-hidden />}
          rightSection={<IconChevronDown size={12} aria-hidden />}
          aria-label={`Save ${spec.title}`}
        >
          Save
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={() => void save('png')}>Picture (PNG)</Menu.Item>
        <Menu.Item onClick={() => void save('svg')}>Drawing (SVG)</Menu.Item>
        <Menu.Item onClick={() => void save('csv')}>Figures (CSV)</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** 'makespan-by-chunk-size-simulated'. */
const fileName = (spec: ChartSpec): string =>
  fullTitle(spec)
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80) || 'chart';
