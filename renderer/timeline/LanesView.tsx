/** Lanes of one iteration: a time axis, names in the gutter, and the plot with everything the pointer does there. */
import { useElementSize } from '@mantine/hooks';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { IterationView, LoadedRun } from '../app/loadedRun.ts';
import { canvasColours } from '../app/palette.ts';
import { useApp } from '../app/store/store.ts';
import { useScheme } from '../common/usePaints.ts';
import { axisHeight, drawAxis } from './axisPainter.ts';
import { rowTitle } from './describeRow.ts';
import { FrameMaker } from './frame.ts';
import { HoverCard } from './HoverCard.tsx';
import { HoverStore, useHover } from './hoverStore.ts';
import classes from './LanesView.module.css';
import { LanePainter } from './lanePainter.ts';
import { operationLabels } from './operationLabels.ts';
import { timeTicks } from './ticks.ts';
import type { TimeView } from './timeView.ts';
import type { SharedTime } from './timeWindow.ts';
import { layoutTracks, type Track, tracksHeight } from './tracks.ts';
import { useTimelinePointer } from './useTimelinePointer.ts';

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly window: SharedTime;
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
  const hover = useMemo(() => new HoverStore(), []);
  const stage = useRef<HTMLDivElement>(null);
  const axisCanvas = useRef<HTMLCanvasElement>(null);
  const dragged = useRef<TimeView | null>(null);
  const repaint = useRef(() => {});
  useTimelinePointer({
    stage,
    run,
    tracks,
    time,
    width,
    scrollTop,
    onHover: hover.set,
    onDrag: (area) => {
      dragged.current = area;
      repaint.current();
    },
  });
  return (
    <div className={classes['lanes']} data-compact={compact || undefined}>
      {axis ? <canvas ref={axisCanvas} className={classes['axis']} style={{ height: axisHeight }} aria-hidden /> : null}
      <div
        className={classes['body']}
        ref={bodyRef}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: lanes that scroll must be reachable by keyboard.
        tabIndex={0}
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
              width={width}
              height={height}
              scrollTop={scrollTop}
              title={title}
              axisCanvas={axisCanvas}
              dragged={dragged}
              repaint={repaint}
            />
            <HoverLayer run={run} store={hover} width={width} height={height} />
          </div>
        </div>
      </div>
    </div>
  );
}

interface HoverProps {
  readonly run: LoadedRun;
  readonly store: HoverStore;
  readonly width: number;
  readonly height: number;
}

function HoverLayer({ run, store, width, height }: HoverProps) {
  const hover = useHover(store);
  if (hover === null) return null;
  return (
    <>
      <div className={classes['cursor']} style={{ left: hover.x }} />
      <HoverCard run={run} hover={hover} width={width} height={height} />
    </>
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
  for (const { direction, attainableBytesPerSecond: rate } of run.operations) {
    if ((direction === 'h2d' || direction === 'd2h') && rate !== null)
      rates[direction] = Math.max(rates[direction] ?? 0, rate);
  }
  return rates;
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
  readonly time: SharedTime;
  readonly tracks: readonly Track[];
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly title: string;
  readonly axisCanvas: React.RefObject<HTMLCanvasElement | null>;
  /** The stretch that is being dragged over; null while none is. */
  readonly dragged: React.RefObject<TimeView | null>;
  /** Set here: draws once more, with the next frame. */
  readonly repaint: React.RefObject<() => void>;
}

function Plot({ run, view, time, tracks, width, height, scrollTop, title, axisCanvas, dragged, repaint }: PlotProps) {
  const selection = useApp((state) => state.selection);
  const scheme = useScheme();
  const container = useRef<HTMLDivElement>(null);
  const painter = useRef<LanePainter | null>(null);
  const maker = useMemo(() => new FrameMaker(), []);
  const labels = useMemo(() => operationLabels(run.run.info.experiment), [run]);
  const labelOf = useCallback((row: number) => rowTitle(run.run.trace, row, labels), [run, labels]);
  const selectedRow =
    selection?.kind === 'row' && selection.run === run.id && inView(view, selection.row) ? selection.row : null;
  const partners = useMemo(() => (selectedRow === null ? [] : view.partners(selectedRow)), [view, selectedRow]);
  const selectedOp = selection?.kind === 'op' ? selection.op : null;
  const area = selection?.kind === 'area' && selection.run === run.id ? selection : null;
  const paint = useCallback(() => {
    const shown = time.view;
    const element = container.current;
    if (width <= 0 || height <= 0 || element === null || painter.current === null) return;
    const colours = canvasColours(scheme);
    const ticks = timeTicks(shown, width);
    const { trace } = run.run;
    const input = { trace, tracks, view: shown, ticks, width, height, scrollTop, selectedRow, selectedOp, partners };
    painter.current.draw(maker.make({ ...input, area: dragged.current ?? area, labelOf }), colours);
    if (axisCanvas.current !== null) {
      drawAxis(axisCanvas.current, { ticks, view: shown, gutter: gutterWidth, width }, colours);
    }
    element.dataset['startNs'] = String(shown.startNs);
    element.dataset['endNs'] = String(shown.endNs);
  }, [
    run,
    time,
    tracks,
    width,
    height,
    scrollTop,
    selectedRow,
    selectedOp,
    partners,
    area,
    labelOf,
    scheme,
    maker,
    axisCanvas,
    dragged,
  ]);
  useLayoutEffect(() => {
    if (container.current === null) return;
    const made = new LanePainter(container.current);
    painter.current = made;
    return () => {
      painter.current = null;
      made.dispose();
    };
  }, []);
  useLayoutEffect(paint, [paint]);
  useEffect(() => time.subscribe(paint), [time, paint]);
  useEffect(() => {
    let frame = 0;
    repaint.current = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(paint);
    };
    return () => cancelAnimationFrame(frame);
  }, [paint, repaint]);
  return (
    <div
      ref={container}
      className={classes['plot']}
      role="img"
      aria-label={`Timeline of ${title}`}
      data-testid="timeline-plot"
    />
  );
}

const inView = (view: IterationView, row: number): boolean => row >= view.rows.from && row < view.rows.to;
