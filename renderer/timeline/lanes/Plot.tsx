/** The canvas of the lanes: draws a frame whenever the visible range, the selection or the notes change. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef } from 'react';
import type { RunNote } from '../../../core/trace/notes.ts';
import { useScheme } from '../../common/hooks.ts';
import { canvasColours } from '../../common/palette.ts';
import type { HazardsByOp } from '../../predict/hazards/hazardsByOp.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { missedIn } from '../../store/opened/missed.ts';
import { isOfPresent } from '../../store/select.ts';
import { useApp } from '../../store/store.ts';
import { gutterWidth } from '../gutter/Gutter.tsx';
import { drawAxis } from '../painting/axisPainter.ts';
import { FrameMaker } from '../painting/frameMaker.ts';
import { LanePainter } from '../painting/lanePainter.ts';
import { nameTones } from '../painting/nameTones.ts';
import { operationLabels, rowTitle } from '../rows/describeRow.ts';
import { matchesIn } from '../rows/search.ts';
import { timeTicks } from '../time/ticks.ts';
import type { TimeView } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import type { Track } from '../tracks/tracks.ts';
import { evidenceRows, rowsInSight } from './evidence.ts';
import classes from './LanesView.module.css';

interface PlotProps {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly time: SharedTime;
  readonly tracks: readonly Track[];
  readonly width: number;
  readonly height: number;
  readonly scrollTop: number;
  readonly title: string;
  /** Notes of the shown iteration. */
  readonly notes: readonly RunNote[];
  readonly hazards: HazardsByOp;
  readonly axisCanvas: React.RefObject<HTMLCanvasElement | null>;
  /** The time range being dragged; null if none is. */
  readonly dragged: React.RefObject<TimeView | null>;
  /** Set by the plot: draws again with the next frame. */
  readonly repaint: React.RefObject<() => void>;
}

export function Plot(props: PlotProps) {
  const { run, view, time, tracks, width, height, scrollTop, title, notes, hazards, axisCanvas, dragged, repaint } =
    props;
  const selection = useApp((state) => state.selection);
  const scheme = useScheme();
  const container = useRef<HTMLDivElement>(null);
  const painter = useRef<LanePainter | null>(null);
  const maker = useMemo(() => new FrameMaker(), []);
  const labels = useMemo(() => operationLabels(run.run.info.experiment), [run]);
  const labelOf = useCallback((row: number) => rowTitle(run.run.trace, row, labels), [run, labels]);
  const selectedRow =
    selection?.kind === 'row' && selection.run === run.id && inView(view, selection.row) ? selection.row : null;
  const flows = useMemo(() => (selectedRow === null ? [] : view.flows(selectedRow)), [view, selectedRow]);
  // Operation numbers change with an edit.
  const isPresent = useApp((state) => isOfPresent(state, run));
  const selectedOp = selection?.kind === 'op' && isPresent ? run.opOf(selection.id) : null;
  const evidence = useMemo(
    () => evidenceRows(run, view, selectedRow, selectedOp),
    [run, view, selectedRow, selectedOp],
  );
  const several = selection?.kind === 'rows' && selection.run === run.id ? selection.rows : null;
  const missed = missedIn(run, view);
  const search = useApp((state) => state.search);
  const found = useMemo(() => (search.trim() === '' ? null : matchesIn(run, view, search).rows), [run, view, search]);
  const byName = useApp((state) => state.colourBy === 'name');
  const tones = useMemo(() => (byName ? nameTones(view).codes : null), [byName, view]);
  const area = selection?.kind === 'area' && selection.run === run.id ? selection : null;
  const paint = useCallback(() => {
    const shown = time.view;
    const element = container.current;
    if (width <= 0 || height <= 0 || element === null || painter.current === null) return;
    const colours = canvasColours(scheme);
    const ticks = timeTicks(shown, width);
    const { trace } = run.run;
    const input = { trace, tracks, view: shown, ticks, width, height, scrollTop, selectedRow, selectedOp, flows };
    const outlined = several === null ? evidence : rowsInSight(trace, several, shown, width);
    painter.current.draw(
      maker.make({
        ...input,
        evidence: outlined,
        hazards,
        missed,
        found,
        tones,
        notes,
        area: dragged.current ?? area,
        labelOf,
      }),
      colours,
    );
    if (axisCanvas.current !== null) {
      drawAxis(axisCanvas.current, { ticks, view: shown, gutter: gutterWidth, width }, colours);
    }
    element.dataset['startNs'] = String(shown.startNs);
    if (found === null) delete element.dataset['found'];
    else element.dataset['found'] = String(found.length);
    element.dataset['endNs'] = String(shown.endNs);
    element.dataset['makespanNs'] = String(view.makespanNs);
  }, [
    run,
    view,
    time,
    tracks,
    width,
    height,
    scrollTop,
    selectedRow,
    selectedOp,
    flows,
    evidence,
    several,
    hazards,
    missed,
    found,
    tones,
    notes,
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
      // Queues and memory come with the summary and add lanes.
      aria-busy={run.summary === null}
      data-testid="timeline-plot"
    />
  );
}

const inView = (view: IterationView, row: number): boolean => row >= view.rows.from && row < view.rows.to;
