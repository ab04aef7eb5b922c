/** Lanes of one iteration: a time axis, names in the gutter, and the plot with its pointer handling. */

import { Button } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { IconFilter } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { createStore, type StoreApi, useStore } from 'zustand';
import type { TermId } from '../../../core/explain/glossary/terms.ts';
import { type HazardsByOp, noHazards } from '../../predict/hazards/hazardsByOp.ts';
import type { IterationView, LoadedRun } from '../../store/opened/loadedRun.ts';
import { useApp } from '../../store/store.ts';
import type { Selection } from '../../store/types.ts';
import { Gutter, gutterWidth } from '../gutter/Gutter.tsx';
import { Minimap } from '../minimap/Minimap.tsx';
import { NoteStrip, useNotesOf } from '../notes/NoteStrip.tsx';
import { axisHeight } from '../painting/axisPainter.ts';
import type { TimeView } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import { type Layout, layoutTracks, namesAlike } from '../tracks/layout.ts';
import { pinnedHeightOf, type Track } from '../tracks/tracks.ts';
import { arrange, arrangementKey, useArrangement } from '../tracks/useArrangement.ts';
import { FormerMark } from './FormerMark.tsx';
import { HiddenNotice } from './HiddenNotice.tsx';
import { HoverCard } from './HoverCard.tsx';
import type { Hit } from './hitTest.ts';
import classes from './LanesView.module.css';
import { PhaseStrip } from './PhaseStrip.tsx';
import { Plot } from './Plot.tsx';
import { useTimelinePointer } from './useTimelinePointer.ts';

/** The activity under the pointer, outside of React's state, so that only the hover card renders when it moves. */
interface Hover {
  readonly at: { readonly hit: Hit; readonly x: number; readonly y: number } | null;
}

/** Says that a filter text hides lanes, since the text is kept between visits. */
function FilterNotice({ run, layout }: { readonly run: LoadedRun; readonly layout: Layout }) {
  const arrangement = useArrangement(run);
  if (arrangement.filter.trim() === '') return null;
  const { tracks, order } = layout;
  return (
    <div className={classes['notice']}>
      <IconFilter size={14} aria-hidden />
      {tracks.length === 0 ? 'No lane has' : `${tracks.length} of ${order.length} lanes have`} “{arrangement.filter}”
      <Button size="compact-xs" variant="default" onClick={() => arrange(run, { ...arrangement, filter: '' })}>
        Show all lanes
      </Button>
    </div>
  );
}

interface Props {
  readonly run: LoadedRun;
  readonly view: IterationView;
  readonly window: SharedTime;
  /** Title such as 'Pinned source, second stream'. */
  readonly title: string;
  readonly compact?: boolean;
  /** Keeps the lane of kernels visible, whatever else must go. */
  readonly keepsCompute?: boolean;
  /** Draws the time axis; a stack of plots on one scale needs it once. */
  readonly axis?: boolean;
  /** Makespan before the last edit; null if there is none to show. */
  readonly formerNs?: number | null;
  /** Hazards to mark in the lanes. */
  readonly hazards?: HazardsByOp;
  /** Explains the lane's kind; left out if there is no glossary. */
  readonly onTerm?: (term: TermId) => void;
}

export { gutterWidth };

export function LanesView(props: Props) {
  const {
    run,
    view,
    window: time,
    title,
    compact = false,
    axis = true,
    keepsCompute = false,
    formerNs = null,
    hazards = noHazards,
    onTerm,
  } = props;
  const { ref: sizeRef, width: bodyWidth, height } = useElementSize();
  const body = useRef<HTMLDivElement>(null);
  const bodyRef = useMergedRef(sizeRef, body);
  const width = Math.max(0, bodyWidth - gutterWidth);
  const [scrollTop, setScrollTop] = useState(0);
  const layout = useLayout(run, view, { compact, keepsCompute, height });
  const { tracks } = layout;
  const named = useSteady(run, layout);
  const notes = useNotesOf(run.id, view.number);
  const hover = useMemo(() => createStore<Hover>()(() => ({ at: null })), []);
  // A moved view has another activity under the pointer.
  useEffect(() => time.subscribe(() => hover.setState({ at: null })), [time, hover]);
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
    onHover: (at) => hover.setState({ at }),
    onDrag: (area) => {
      dragged.current = area;
      repaint.current();
    },
  });
  useRevealedSelection(body, run, tracks);
  return (
    <div className={classes['lanes']} data-compact={compact || undefined}>
      {compact ? null : <Minimap view={view} time={time} width={width} />}
      {axis ? <canvas ref={axisCanvas} className={classes['axis']} style={{ height: axisHeight }} aria-hidden /> : null}
      {compact ? null : <NoteStrip run={run} iteration={view.number} time={time} width={width} />}
      {compact ? null : <PhaseStrip run={run} view={view} time={time} width={width} />}
      <div
        className={classes['body']}
        ref={bodyRef}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: lanes that scroll must be reachable by keyboard.
        tabIndex={0}
        style={{ scrollPaddingTop: layout.pinnedHeight }}
        onScroll={(event) => {
          setScrollTop(event.currentTarget.scrollTop);
          hover.setState({ at: null });
        }}
      >
        <div className={classes['content']} style={{ height: Math.max(layout.height, 1) }}>
          <Gutter run={compact ? null : named.run} layout={named.layout} body={body} onTerm={onTerm} />
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
              notes={notes}
              hazards={hazards}
              axisCanvas={axisCanvas}
              dragged={dragged}
              repaint={repaint}
            />
            {formerNs === null ? null : (
              <FormerMark formerNs={formerNs} nowNs={view.makespanNs} time={time} width={width} />
            )}
            <HoverLayer run={run} store={hover} hazards={hazards} width={width} height={height} />
          </div>
        </div>
      </div>
      {compact ? null : <FilterNotice run={run} layout={layout} />}
      {compact ? null : <HiddenNotice run={run} view={view} tracks={tracks} />}
    </div>
  );
}

/** Scrolls to the lane of an activity selected elsewhere: by a key, by the search, or in the inspector. */
function useRevealedSelection(
  body: React.RefObject<HTMLDivElement | null>,
  run: LoadedRun,
  tracks: readonly Track[],
): void {
  const row = useApp(({ selection }) => firstSelected(selection, run.id));
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

function firstSelected(selection: Selection | null, run: string): number | null {
  if (selection?.kind === 'rows') return selection.run === run ? (selection.rows[0] ?? null) : null;
  return selection?.kind === 'row' && selection.run === run ? selection.row : null;
}

interface HoverProps {
  readonly run: LoadedRun;
  readonly hazards: HazardsByOp;
  readonly store: StoreApi<Hover>;
  readonly width: number;
  readonly height: number;
}

function HoverLayer({ run, store, hazards, width, height }: HoverProps) {
  const hover = useStore(store, ({ at }) => at);
  if (hover === null) return null;
  return (
    <>
      <div className={classes['cursor']} style={{ left: hover.x }} />
      <HoverCard run={run} hover={hover} hazards={hazards} width={width} height={height} />
    </>
  );
}

/** Returns the previous run and layout while names and actions of the lanes are the same. */
function useSteady(run: LoadedRun, layout: Layout): { readonly run: LoadedRun; readonly layout: Layout } {
  const last = useRef({ run, layout });
  const isSame = arrangementKey(last.current.run) === arrangementKey(run) && namesAlike(last.current.layout, layout);
  if (!isSame) last.current = { run, layout };
  return last.current;
}

function useLayout(run: LoadedRun, view: IterationView, { compact, keepsCompute, height }: LayoutOptions): Layout {
  const arrangement = useArrangement(run);
  return useMemo(
    () =>
      layoutTracks(view, {
        height,
        compact,
        keepsCompute,
        attainable: run.summary?.attainable ?? none,
        linkLimit: (direction) => run.linkLimit(direction),
        ...(compact ? {} : { arrangement }),
      }),
    [run, view, compact, keepsCompute, height, arrangement],
  );
}

interface LayoutOptions {
  readonly compact: boolean;
  readonly keepsCompute: boolean;
  readonly height: number;
}

const none = { h2d: null, d2h: null };
