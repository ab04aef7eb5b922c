/** Lanes of one iteration: a time axis, names in the gutter, and the plot with everything the pointer does there. */
import { useElementSize } from '@mantine/hooks';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { IterationView, LoadedRun } from '../app/loadedRun.ts';
import { canvasColours } from '../app/palette.ts';
import { useApp } from '../app/store/store.ts';
import { useScheme } from '../common/usePaints.ts';
import { rowTitle } from './describeRow.ts';
import { makeFrame } from './frame.ts';
import { HoverCard } from './HoverCard.tsx';
import type { Hit } from './hitTest.ts';
import classes from './LanesView.module.css';
import { LaneChart } from './laneChart.ts';
import { operationLabels } from './operationLabels.ts';
import { labelSpace, type Ticks, timeTicks } from './ticks.ts';
import { toPixels } from './timeView.ts';
import { layoutTracks, type Track, tracksHeight } from './tracks.ts';
import { useTimelinePointer } from './useTimelinePointer.ts';
import type { TimeWindow } from './useTimeView.ts';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly window: TimeWindow;
  /** As 'Pinned source, second stream'. */
  readonly title: string;
  readonly compact?: boolean;
  /** Draws the time axis; a stack of plots on one scale needs it once. */
  readonly axis?: boolean;
}

export const gutterWidth = 148;

export function LanesView({ run, view, window: time, title, compact = false, axis = true }: Props) {
  const { ref: bodyRef, width: bodyWidth, height } = useElementSize();
  const width = Math.max(0, bodyWidth - gutterWidth);
  const [scrollTop, setScrollTop] = useState(0);
  const tracks = useTracks(run, view, compact, height);
  const ticks = useMemo(() => timeTicks(time.view, width), [time.view, width]);
  const [hover, setHover] = useState<{ hit: Hit; x: number; y: number } | null>(null);
  const stage = useRef<HTMLDivElement>(null);
  const drag = useTimelinePointer({ stage, run, tracks, time, width, scrollTop, onHover: setHover });
  return (
    <div className={classes['lanes']} data-compact={compact || undefined}>
      {axis ? <Axis ticks={ticks} time={time} width={width} /> : null}
      <div
        className={classes['body']}
        ref={bodyRef}
        tabIndex={-1}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div className={classes['content']} style={{ height: Math.max(tracksHeight(tracks), 1) }}>
          <Gutter tracks={tracks} />
          <div className={classes['stage']} ref={stage} style={{ height, width }}>
            <Plot
              run={run}
              view={view}
              time={time}
              tracks={tracks}
              ticks={ticks}
              width={width}
              height={height}
              scrollTop={scrollTop}
              title={title}
            />
            <AreaOverlay run={run} time={time} width={width} drag={drag} />
            {hover === null ? null : (
              <>
                <div className={classes['cursor']} style={{ left: hover.x }} />
                <HoverCard run={run} hover={hover} width={width} height={height} />
              </>
            )}
          </div>
        </div>
      </div>
    </div>
  );
}

function useTracks(run: LoadedRun, view: IterationView, compact: boolean, height: number): Track[] {
  return useMemo(
    () => layoutTracks(view, { height, compact, attainable: attainableRates(run) }),
    [run, view, compact, height],
  );
}

/** The highest attainable rate among the copies of each direction; null where no profile knows. */
function attainableRates(run: LoadedRun): Record<'h2d' | 'd2h', number | null> {
  const rates: Record<'h2d' | 'd2h', number | null> = { h2d: null, d2h: null };
  for (const { direction, attainableBytesPerSecond: rate } of run.summary.operations) {
    if ((direction === 'h2d' || direction === 'd2h') && rate !== null)
      rates[direction] = Math.max(rates[direction] ?? 0, rate);
  }
  return rates;
}

function Axis({ ticks, time, width }: { readonly ticks: Ticks; readonly time: TimeWindow; readonly width: number }) {
  return (
    <div className={classes['axis']} aria-hidden>
      <div className={`${classes['anchor']} tabular`} style={{ width: gutterWidth }}>
        {ticks.anchorLabel}
      </div>
      <div className={classes['ticks']}>
        {ticks.ticks.map((tick) => (
          <span
            key={tick.timeNs}
            className="tabular"
            style={{ left: Math.round(toPixels(time.view, width, tick.timeNs)) }}
          >
            {toPixels(time.view, width, tick.timeNs) < width - labelSpace ? tick.label : null}
          </span>
        ))}
      </div>
    </div>
  );
}

function Gutter({ tracks }: { readonly tracks: readonly Track[] }) {
  return (
    <ul className={classes['gutter']} style={{ width: gutterWidth }} aria-label="Lanes">
      {tracks.map((track) => (
        <li
          key={track.id}
          data-lane-id={track.id}
          data-kind={track.kind === 'lane' ? track.lane.kind : 'bandwidth'}
          style={{ top: track.top, height: track.height }}
          title={`${track.name}, ${track.detail}`}
        >
          <span>{track.name}</span>
          {track.detail.toLowerCase() === track.name.toLowerCase() ? null : <small>{track.detail}</small>}
        </li>
      ))}
    </ul>
  );
}

interface PlotProps {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: TimeWindow;
  readonly tracks: readonly Track[];
  readonly ticks: Ticks;
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly title: string;
}

function Plot({ run, view, time, tracks, ticks, width, height, scrollTop, title }: PlotProps) {
  const selection = useApp((state) => state.selection);
  const scheme = useScheme();
  const container = useRef<HTMLDivElement>(null);
  const chart = useRef<LaneChart | null>(null);
  const labels = useMemo(() => operationLabels(run.run.info.experiment), [run]);
  const labelOf = useCallback((row: number) => rowTitle(run.run.trace, row, labels), [run, labels]);
  const selectedRow =
    selection?.kind === 'row' && selection.run === run.id && inView(view, selection.row) ? selection.row : null;
  const selectedOp = selection?.kind === 'op' ? selection.op : null;
  useEffect(() => {
    if (container.current === null) return;
    const made = new LaneChart(container.current);
    chart.current = made;
    return () => {
      chart.current = null;
      made.dispose();
    };
  }, []);
  useLayoutEffect(() => {
    chart.current?.resize(width, height);
  }, [width, height]);
  useEffect(() => {
    if (width <= 0 || height <= 0) return;
    const partners = selectedRow === null ? [] : view.partners(selectedRow);
    const { trace } = run.run;
    const frame = makeFrame({
      trace,
      tracks,
      view: time.view,
      ticks,
      width,
      height,
      scrollTop,
      selectedRow,
      selectedOp,
      partners,
      labelOf,
    });
    chart.current?.resize(width, height);
    chart.current?.draw(frame, canvasColours(scheme));
  }, [run, view, time.view, tracks, ticks, width, height, scrollTop, selectedRow, selectedOp, labelOf, scheme]);
  return (
    <div
      ref={container}
      className={classes['plot']}
      role="img"
      aria-label={`Timeline of ${title}`}
      data-testid="timeline-plot"
      data-start-ns={time.view.startNs}
      data-end-ns={time.view.endNs}
    />
  );
}

const inView = (view: IterationView, row: number): boolean => row >= view.rows.from && row < view.rows.to;

interface AreaProps {
  readonly run: LoadedRun;
  readonly time: TimeWindow;
  readonly width: number;
  readonly drag: { readonly startNs: number; readonly endNs: number } | null;
}

function AreaOverlay({ run, time, width, drag }: AreaProps) {
  const selection = useApp((state) => state.selection);
  const area = drag ?? (selection?.kind === 'area' && selection.run === run.id ? selection : null);
  if (area === null) return null;
  const left = toPixels(time.view, width, Math.min(area.startNs, area.endNs));
  const right = toPixels(time.view, width, Math.max(area.startNs, area.endNs));
  return <div className={classes['area']} style={{ left, width: Math.max(right - left, 1) }} />;
}
