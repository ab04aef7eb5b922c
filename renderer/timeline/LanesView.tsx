/** Lanes of one iteration: a time axis, names in the gutter, and the plot with everything the pointer does there. */
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { IterationView, LoadedRun } from '../app/loadedRun.ts';
import { canvasColours } from '../app/palette.ts';
import { useApp } from '../app/store/store.ts';
import { useScheme } from '../common/usePaints.ts';
import { axisHeight, drawAxis } from './axisPainter.ts';
import { rowTitle } from './describeRow.ts';
import { FrameMaker } from './frame.ts';
import { Gutter, gutterWidth } from './Gutter.tsx';
import { HiddenNotice } from './HiddenNotice.tsx';
import { HoverCard } from './HoverCard.tsx';
import { HoverStore, useHover } from './hoverStore.ts';
import classes from './LanesView.module.css';
import { LanePainter } from './lanePainter.ts';
import { operationLabels } from './operationLabels.ts';
import { timeTicks } from './ticks.ts';
import type { TimeView } from './timeView.ts';
import type { SharedTime } from './timeWindow.ts';
import { type Layout, layoutTracks, pinnedHeightOf, type Track } from './tracks.ts';
import { useArrangement } from './useArrangement.ts';
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

export { gutterWidth };

export function LanesView({ run, view, window: time, title, compact = false, axis = true }: Props) {
  const { ref: sizeRef, width: bodyWidth, height } = useElementSize();
  const body = useRef<HTMLDivElement>(null);
  const bodyRef = useMergedRef(sizeRef, body);
  const width = Math.max(0, bodyWidth - gutterWidth);
  const [scrollTop, setScrollTop] = useState(0);
  const layout = useLayout(run, view, compact, height);
  const { tracks } = layout;
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
  useRevealedSelection(body, run, tracks);
  return (
    <div className={classes['lanes']} data-compact={compact || undefined}>
      {axis ? <canvas ref={axisCanvas} className={classes['axis']} style={{ height: axisHeight }} aria-hidden /> : null}
      <div
        className={classes['body']}
        ref={bodyRef}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: lanes that scroll must be reachable by keyboard.
        tabIndex={0}
        style={{ scrollPaddingTop: layout.pinnedHeight }}
        onScroll={(event) => setScrollTop(event.currentTarget.scrollTop)}
      >
        <div className={classes['content']} style={{ height: Math.max(layout.height, 1) }}>
          <Gutter run={compact ? null : run} layout={layout} body={body} />
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
      {compact ? null : <HiddenNotice run={run} view={view} tracks={tracks} />}
    </div>
  );
}

/** Scrolls to the lane of an activity that was selected elsewhere: by a key, by the search, or in the inspector. */
function useRevealedSelection(
  body: React.RefObject<HTMLDivElement | null>,
  run: LoadedRun,
  tracks: readonly Track[],
): void {
  const row = useApp(({ selection }) => (selection?.kind === 'row' && selection.run === run.id ? selection.row : null));
  const latest = useRef(tracks);
  latest.current = tracks;
  useEffect(() => {
    const element = body.current;
    if (row === null || element === null) return;
    const { lane, engine } = run.run.trace.columns;
    const own = latest.current.filter((one) => one.kind === 'lane' && [lane[row], engine[row]].includes(one.number));
    const [top, bottom] = [
      element.scrollTop + pinnedHeightOf(latest.current),
      element.scrollTop + element.clientHeight,
    ];
    const isSeen = (one: Track): boolean => one.pinned || (one.top >= top && one.top + one.height <= bottom);
    const [first] = own;
    if (first === undefined || own.some(isSeen)) return;
    const shift = first.top < top ? first.top - top : first.top + first.height - bottom;
    element.scrollTop += shift;
  }, [row, run, body]);
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

function useLayout(run: LoadedRun, view: IterationView, compact: boolean, height: number): Layout {
  const arrangement = useArrangement(run);
  return useMemo(
    () =>
      layoutTracks(view, { height, compact, attainable: attainableRates(run), ...(compact ? {} : { arrangement }) }),
    [run, view, compact, height, arrangement],
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
