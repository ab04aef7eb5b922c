/** The whole run in small, with the visible time range as a window that can be dragged, resized, or moved by keys. */

import { type KeyboardEvent, type PointerEvent, type RefObject, useEffect, useLayoutEffect, useRef } from 'react';
import { formatDuration } from '../../../core/units.ts';
import { commandOf, type Entry } from '../../commands/command.ts';
import { useScheme } from '../../common/hooks.ts';
import { canvasColours, paint, paintNames, type Scheme } from '../../common/palette.ts';
import { debounced, whenIdle } from '../../common/scheduling.ts';
import { pixelRatioOf, placeWithin } from '../../common/zoomed.ts';
import type { IterationView } from '../../store/opened/loadedRun.ts';
import { beforeNextFrame } from '../../store/store.ts';
import { gutterWidth } from '../gutter/Gutter.tsx';
import { mixed, pixel } from '../painting/raster.ts';
import { leastSpanNs, panBy, spanNs, type TimeView, toPixels, toTime, zoomAt } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import classes from './Minimap.module.css';
import { type OverviewRow, overviewRows } from './overview.ts';

interface Props {
  readonly view: IterationView;
  readonly time: SharedTime;
  readonly width: number;
}

const height = 24;
/** Space at the right, which separates the window's end from the handle that resizes the panel. */
const edge = 12;
/** A narrower window could be neither seen nor grabbed. */
const leastWidth = 10;
/** Makes a nearly idle column visible. */
const leastShade = 0.3;

export function Minimap({ view, time, width: whole }: Props) {
  const width = Math.max(0, whole - edge);
  const scheme = useScheme();
  const canvas = useRef<HTMLCanvasElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  useOverview(canvas, view, time, width, scheme);
  usePlacedWindow(frame, time, width);
  const drag = useDrag(time, width);
  return (
    <section
      className={classes['minimap']}
      style={{ paddingLeft: gutterWidth, paddingRight: edge, height }}
      aria-label="Whole run"
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the sliders inside do the same by keyboard. */}
      <div className={classes['track']} {...drag('window')} onDoubleClick={() => time.move((_, limits) => limits)}>
        <canvas ref={canvas} aria-hidden />
        <div className={classes['frame']} ref={frame}>
          <Grip part="window" label="Visible stretch" time={time} />
          <Grip part="start" label="Start of the visible stretch" time={time} {...drag('start')} />
          <Grip part="end" label="End of the visible stretch" time={time} {...drag('end')} />
        </div>
      </div>
    </section>
  );
}

type Part = 'window' | 'start' | 'end';

interface GripProps extends Partial<ReturnType<ReturnType<typeof useDrag>>> {
  readonly part: Part;
  readonly label: string;
  readonly time: SharedTime;
}

function Grip({ part, label, time, ...drag }: GripProps) {
  const onKeyDown = (event: KeyboardEvent): void => {
    const change = commandOf(minimapCommands, event)?.run(part);
    if (change == null) return;
    event.preventDefault();
    time.move(change);
  };
  return (
    <div
      {...drag}
      className={classes[part]}
      data-part={part}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={Math.round(time.limits.endNs)}
      aria-valuenow={0}
      onKeyDown={onKeyDown}
    />
  );
}

type Change = (view: TimeView, limits: TimeView) => TimeView;

/** Share of the visible span that one key press moves. */
const keyStep = 0.1;

/** Commands on the window or one of its edges. */
export const minimapCommands: readonly (Entry & { readonly run: (part: Part) => Change | null })[] = [
  { name: 'Move left', keys: ['ArrowLeft', 'ArrowDown'], run: moved(-1) },
  { name: 'Move right', keys: ['ArrowRight', 'ArrowUp'], run: moved(1) },
  { name: 'Move further left', keys: ['PageDown'], run: moved(-9) },
  { name: 'Move further right', keys: ['PageUp'], run: moved(9) },
  { name: 'To the beginning', keys: ['Home'], run: movedTo('startNs') },
  { name: 'To the end', keys: ['End'], run: movedTo('endNs') },
  { name: 'Zoom in', keys: ['+'], run: zoomed(0.8) },
  { name: 'Zoom out', keys: ['-'], run: zoomed(1.25) },
];

function moved(steps: number) {
  return (part: Part): Change => {
    const by = (view: TimeView): number => steps * keyStep * spanNs(view);
    if (part === 'window') return (view, limits) => panBy(view, by(view), limits);
    return (view) => withEdge(view, part, edgeOf(view, part) + by(view));
  };
}

function movedTo(end: keyof TimeView) {
  return (part: Part): Change =>
    (view, limits) =>
      part === 'window' ? panBy(view, limits[end] - view[end], limits) : withEdge(view, part, limits[end]);
}

function zoomed(factor: number) {
  return (part: Part): Change | null =>
    part === 'window' ? (view, limits) => zoomAt(view, (view.startNs + view.endNs) / 2, factor, limits) : null;
}

const edgeOf = (view: TimeView, part: 'start' | 'end'): number => (part === 'start' ? view.startNs : view.endNs);

/** Returns the view with one edge moved. */
function withEdge({ startNs, endNs }: TimeView, part: 'start' | 'end', toNs: number): TimeView {
  return part === 'start'
    ? { startNs: Math.min(toNs, endNs - leastSpanNs), endNs }
    : { startNs, endNs: Math.max(toNs, startNs + leastSpanNs) };
}

/** Returns the handlers of a part. Pressing next to the window centres it there, and then drags it. */
function useDrag(time: SharedTime, width: number) {
  const held = useRef<{ readonly part: Part; readonly offsetNs: number } | null>(null);
  const timeAt = (event: PointerEvent<HTMLElement>): number => {
    const track = event.currentTarget.closest<HTMLElement>(`.${classes['track']}`);
    const x = track === null ? event.clientX : placeWithin(track, event.clientX, event.clientY).x;
    return toTime(time.limits, width, x);
  };
  const move = (part: Part, toNs: number): void =>
    time.move((view, limits) => {
      if (part === 'window') return panBy(view, toNs - view.startNs, limits);
      const bounded = Math.min(Math.max(toNs, limits.startNs), limits.endNs);
      return withEdge(view, part, bounded);
    });
  return (part: Part) => ({
    onPointerDown: (event: PointerEvent<HTMLElement>): void => {
      if (event.button !== 0) return;
      event.stopPropagation();
      event.currentTarget.setPointerCapture(event.pointerId);
      const [now, { view }] = [timeAt(event), time];
      const isOn = now >= view.startNs && now <= view.endNs;
      const anchor = part === 'window' ? (isOn ? view.startNs : now - spanNs(view) / 2) : edgeOf(view, part);
      held.current = { part, offsetNs: isOn || part !== 'window' ? now - anchor : spanNs(view) / 2 };
      if (!isOn && part === 'window') move(part, anchor);
    },
    onPointerMove: (event: PointerEvent<HTMLElement>): void => {
      if (held.current?.part === part) move(part, timeAt(event) - held.current.offsetNs);
    },
    onPointerUp: (): void => {
      held.current = null;
    },
    onPointerCancel: (): void => {
      held.current = null;
    },
  });
}

/** Time without movement after which the window is described. */
const describeMs = 150;

/** Places the window with every frame, and describes it for screen readers a moment later. */
function usePlacedWindow(frame: RefObject<HTMLDivElement | null>, time: SharedTime, width: number): void {
  useLayoutEffect(() => {
    const describeSoon = debounced(() => {
      if (frame.current !== null) describe(frame.current, time.view);
    }, describeMs);
    const place = (): void => {
      const element = frame.current;
      if (element === null) return;
      const [left, right] = [time.view.startNs, time.view.endNs].map((edge) => toPixels(time.limits, width, edge));
      const breadth = Math.max((right ?? 0) - (left ?? 0), leastWidth);
      const x = Math.min(Math.max(((left ?? 0) + (right ?? 0) - breadth) / 2, 0), Math.max(width - breadth, 0));
      element.style.transform = `translateX(${x}px)`;
      element.style.width = `${breadth}px`;
      beforeNextFrame(describeSoon);
    };
    place();
    const stop = time.subscribe(place);
    return () => {
      describeSoon.cancel();
      stop();
    };
  }, [frame, time, width]);
}

function describe(element: HTMLElement, { startNs, endNs }: TimeView): void {
  const words = (time: number): string => formatDuration(Math.max(0, time));
  for (const grip of element.querySelectorAll<HTMLElement>('[data-part]')) {
    const edge = grip.dataset['part'] === 'end' ? endNs : startNs;
    grip.setAttribute('aria-valuenow', String(Math.max(0, Math.round(edge))));
    const text = grip.dataset['part'] === 'window' ? `${words(startNs)} to ${words(endNs)}` : words(edge);
    grip.setAttribute('aria-valuetext', text);
  }
}

/** Longest wait for an idle moment. */
const mostWaitMs = 300;

/** Draws the overview once for a run and a width: the first one after the lanes, later ones when the window is idle. */
function useOverview(
  canvas: RefObject<HTMLCanvasElement | null>,
  view: IterationView,
  { limits }: SharedTime,
  width: number,
  scheme: Scheme,
): void {
  const isBlank = useRef(true);
  useEffect(() => {
    if (width < 1) return;
    const paint = (): void => {
      if (canvas.current === null) return;
      isBlank.current = false;
      const ratio = pixelRatioOf(canvas.current);
      const columns = Math.round(width * ratio);
      draw(canvas.current, overviewRows(view, limits, columns), columns, Math.round(height * ratio), scheme);
    };
    let rest = (): void => {};
    const wait = beforeNextFrame(() => {
      // Summarising the first run keeps the window busy and restarts this, which would leave no picture for a second.
      if (isBlank.current) paint();
      else rest = whenIdle(paint, mostWaitMs);
    });
    return () => {
      wait();
      rest();
    };
  }, [canvas, view, limits, width, scheme]);
}

function draw(
  canvas: HTMLCanvasElement,
  rows: readonly OverviewRow[],
  columns: number,
  lines: number,
  scheme: Scheme,
): void {
  canvas.width = columns;
  canvas.height = lines;
  const context = canvas.getContext('2d');
  if (context === null) return;
  const image = context.createImageData(columns, lines);
  const pixels = new Uint32Array(image.data.buffer);
  const surface = pixel(canvasColours(scheme).surface);
  pixels.fill(surface);
  const colours = paintNames.map((name) => pixel(paint(name, scheme).fill));
  const pad = Math.round(lines * 0.1);
  const each = (lines - 2 * pad) / Math.max(rows.length, 1);
  for (const [index, { shares, paints }] of rows.entries()) {
    const [top, bottom] = [
      Math.round(pad + index * each),
      Math.max(Math.round(pad + (index + 1) * each) - (each > 3 ? 1 : 0)),
    ];
    for (let x = 0; x < columns; x += 1) {
      const share = shares[x] as number;
      if (share === 0) continue;
      const colour = mixed(colours[paints[x] as number] ?? surface, surface, leastShade + (1 - leastShade) * share);
      for (let y = top; y < bottom; y += 1) pixels[y * columns + x] = colour;
    }
  }
  context.putImageData(image, 0, 0);
}
