/** The drawn chart. It is a chunk of its own because it imports ECharts. */
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { createContext, type KeyboardEvent, useContext, useEffect, useMemo, useRef, useState } from 'react';
import { useScheme } from '../common/hooks.ts';
import { announce } from '../store/notify.ts';
import classes from './Chart.module.css';
import { type Drawing as Drawn, draw } from './engine.ts';
import { lookOf } from './look.ts';
import { chartOption, placeOf } from './option.ts';
import { isStep, type Point, pointLines, pointsOf, stepFrom } from './points.ts';
import { type ChartSpec, fullTitle } from './spec.ts';

interface Props {
  readonly spec: ChartSpec;
  readonly onOpen?: ((id: string) => void) | undefined;
}

export function Drawing({ spec, onOpen }: Props) {
  const element = useRef<HTMLDivElement>(null);
  const chart = useRef<Drawn | null>(null);
  const { ref, width, height } = useElementSize();
  const scheme = useScheme();
  const renderer = useContext(ChartRenderer);
  const points = useMemo(() => pointsOf(spec), [spec]);
  const [at, setAt] = useState<number | null>(null);

  useEffect(() => {
    if (element.current === null) return;
    const made = draw(element.current, renderer);
    chart.current = made;
    return () => {
      chart.current = null;
      made.dispose();
    };
  }, [renderer]);

  useEffect(() => {
    if (width === 0 || height === 0) return;
    chart.current?.resize({ width, height });
    chart.current?.setOption(chartOption(spec, lookOf(scheme), { width, height, withTitle: false }), {
      notMerge: true,
    });
  }, [spec, scheme, width, height]);

  // Runs after every drawing, since a new drawing drops the highlight, and the first key may come before the first
  // drawing.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scheme draws anew.
  useEffect(() => {
    if (width === 0 || height === 0) return;
    chart.current?.dispatchAction({ type: 'downplay' });
    const point = at === null ? undefined : points[at];
    if (point === undefined) chart.current?.dispatchAction({ type: 'hideTip' });
    else show(chart.current, point);
  }, [at, points, scheme, width, height]);

  useEffect(() => {
    const drawn = chart.current;
    if (drawn === null || onOpen === undefined) return;
    const onClick = ({ data }: { readonly data?: unknown }): void => {
      const place = placeOf(data);
      const id = place === null ? undefined : spec.rows[place.row]?.cells[place.column]?.id;
      if (id !== undefined) onOpen(id);
    };
    drawn.on('click', onClick);
    return () => void drawn.off('click', onClick);
  }, [spec, onOpen]);

  const onKeyDown = (event: KeyboardEvent): void => {
    const here = at === null ? undefined : points[at];
    if (event.key === 'Enter' && here?.cell.id !== undefined && onOpen !== undefined) onOpen(here.cell.id);
    else if (event.key === 'Escape' && at !== null) setAt(null);
    else if (isStep(event.key) && points.length > 0) go(at === null ? 0 : stepFrom(points, at, event.key));
    else return;
    event.preventDefault();
  };
  const go = (index: number): void => {
    const point = points[index];
    if (point === undefined) return;
    setAt(index);
    announce(pointLines(spec, point).join(', '));
  };
  const opens = points.some(({ cell }) => cell.id !== undefined) && onOpen !== undefined;
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element of HTML is a chart.
    <div
      ref={useMergedRef(ref, element)}
      className={classes['drawing']}
      role="group"
      aria-roledescription="chart"
      aria-label={`${fullTitle(spec)}. Arrow keys go from point to point${opens ? ', Enter opens one' : ''}.`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: its points are walked with the arrow keys.
      tabIndex={0}
      data-testid="chart"
      data-points={points.length}
      onKeyDown={onKeyDown}
      onBlur={() => setAt(null)}
    />
  );
}

/** Highlights the point and shows its tooltip, as the pointer does. */
function show(chart: Drawn | null, point: Point): void {
  const found = find(chart, point);
  if (found === null) return;
  chart?.dispatchAction({ type: 'highlight', ...found });
  chart?.dispatchAction({ type: 'showTip', ...found });
}

function find(chart: Drawn | null, { row, column }: Point): { seriesIndex: number; dataIndex: number } | null {
  const series = (chart?.getOption()['series'] ?? []) as readonly { readonly data?: readonly unknown[] }[];
  for (const [seriesIndex, { data = [] }] of series.entries()) {
    const dataIndex = data.findIndex((datum) => {
      const place = placeOf(datum);
      return place?.row === row && place.column === column;
    });
    if (dataIndex >= 0) return { seriesIndex, dataIndex };
  }
  return null;
}

/** How charts are drawn: as SVG, or on a canvas if a content security policy forbids style attributes. */
export const ChartRenderer = createContext<'svg' | 'canvas'>('svg');
