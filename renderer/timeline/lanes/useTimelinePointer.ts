/** Pointer and wheel on the plot: hover, click, drag for an area, Shift+drag and wheel to pan, Ctrl+wheel to zoom. */

import { type RefObject, useEffect, useRef } from 'react';
import { placeWithin } from '../../common/zoomed.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { select } from '../../store/store.ts';
import { fitView, panBy, spanNs, type TimeView, toTime, zoomAt } from '../time/timeView.ts';
import type { SharedTime } from '../time/timeWindow.ts';
import type { Track } from '../tracks/tracks.ts';
import { type Hit, hitTest } from './hitTest.ts';

interface Options {
  readonly stage: RefObject<HTMLDivElement | null>;
  readonly run: LoadedRun;
  readonly tracks: readonly Track[];
  readonly time: SharedTime;
  readonly width: number;
  readonly scrollTop: number;
  readonly onHover: (hover: { hit: Hit; x: number; y: number } | null) => void;
  /** Receives the time range being dragged; null at the end. */
  readonly onDrag: (area: TimeView | null) => void;
}

interface Drag {
  readonly kind: 'area' | 'pan';
  readonly startX: number;
  readonly startNs: number;
  lastX: number;
  moved: boolean;
}

const dragThreshold = 4;
/** Change of the visible span per pixel of wheel. */
const wheelZoom = 0.0022;

export function useTimelinePointer(options: Options): void {
  const latest = useRef(options);
  latest.current = options;
  const { stage } = options;
  useEffect(() => {
    const element = stage.current;
    if (element === null) return;
    return new PointerHandlers(element, latest).attach();
  }, [stage]);
}

class PointerHandlers {
  readonly #element: HTMLElement;
  readonly #options: RefObject<Options>;
  #drag: Drag | null = null;

  constructor(element: HTMLElement, options: RefObject<Options>) {
    this.#element = element;
    this.#options = options;
  }

  attach(): () => void {
    const stop = new AbortController();
    const { signal } = stop;
    const element = this.#element;
    element.addEventListener('pointerdown', (event) => this.#down(event), { signal });
    element.addEventListener('pointermove', (event) => this.#move(event), { signal });
    element.addEventListener('pointerup', (event) => this.#up(event), { signal });
    element.addEventListener('pointercancel', () => this.#end(), { signal });
    element.addEventListener('pointerleave', () => this.#leave(), { signal });
    element.addEventListener('dblclick', (event) => this.#doubleClick(event), { signal });
    element.addEventListener('wheel', (event) => this.#wheel(event), { signal, passive: false });
    return () => stop.abort();
  }

  #down(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 1) return;
    const { x } = this.#place(event);
    const kind = event.shiftKey || event.button === 1 ? 'pan' : 'area';
    this.#drag = { kind, startX: x, startNs: this.#time(x), lastX: x, moved: false };
    this.#element.setPointerCapture(event.pointerId);
    if (event.button === 1) event.preventDefault();
  }

  #move(event: PointerEvent): void {
    const { x, y } = this.#place(event);
    const { time, onHover } = this.#options.current;
    time.cursor = this.#time(x);
    if (this.#drag === null) {
      onHover({ hit: this.#hit(x, y), x, y });
      return;
    }
    this.#dragTo(this.#drag, x);
  }

  #dragTo(drag: Drag, x: number): void {
    const { time, width, onHover, onDrag } = this.#options.current;
    if (!drag.moved && Math.abs(x - drag.startX) < dragThreshold) return;
    drag.moved = true;
    onHover(null);
    if (drag.kind === 'area') onDrag(between(drag.startNs, this.#time(x)));
    else {
      const shift = drag.lastX - x;
      time.move((view, limits) => panBy(view, (shift / Math.max(width, 1)) * spanNs(view), limits));
    }
    drag.lastX = x;
  }

  #up(event: PointerEvent): void {
    const drag = this.#drag;
    const { x, y } = this.#place(event);
    const { run } = this.#options.current;
    this.#end();
    if (drag === null || (event.button !== 0 && event.button !== 1)) return;
    if (!drag.moved) {
      const hit = this.#hit(x, y);
      select(hit.kind === 'row' ? { kind: 'row', run: run.id, row: hit.row } : null);
    } else if (drag.kind === 'area') {
      select({ kind: 'area', run: run.id, ...between(Math.max(0, drag.startNs), Math.max(0, this.#time(x))) });
    }
  }

  #end(): void {
    const wasArea = this.#drag?.kind === 'area' && this.#drag.moved;
    this.#drag = null;
    if (wasArea) this.#options.current.onDrag(null);
  }

  #leave(): void {
    const { onHover, time } = this.#options.current;
    time.cursor = null;
    onHover(null);
  }

  #doubleClick(event: MouseEvent): void {
    const { x, y } = this.#place(event);
    const { time, run } = this.#options.current;
    const hit = this.#hit(x, y);
    if (hit.kind !== 'row') return;
    const { startNs, durationNs } = run.run.trace.columns;
    const start = startNs[hit.row] ?? 0;
    time.move((_, limits) => fitView(start, start + (durationNs[hit.row] ?? 0), limits));
  }

  #wheel(event: WheelEvent): void {
    const { time, width } = this.#options.current;
    // Firefox counts in lines, others in pixels.
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? 16 : 1;
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      const anchor = this.#time(this.#place(event).x);
      const factor = Math.exp(Math.min(Math.max(event.deltaY * unit, -400), 400) * wheelZoom);
      time.move((view, limits) => zoomAt(view, anchor, factor, limits));
      return;
    }
    const sideways = event.shiftKey && event.deltaX === 0 ? event.deltaY : event.deltaX;
    if (sideways === 0) return;
    event.preventDefault();
    time.move((view, limits) => panBy(view, ((sideways * unit) / Math.max(width, 1)) * spanNs(view), limits));
  }

  #place(event: MouseEvent): { x: number; y: number } {
    return placeWithin(this.#element, event.clientX, event.clientY);
  }

  #time(x: number): number {
    const { time, width } = this.#options.current;
    return toTime(time.view, width, x);
  }

  #hit(x: number, y: number): Hit {
    const { tracks, time, width, scrollTop } = this.#options.current;
    return hitTest(tracks, time.view, width, x, y, scrollTop);
  }
}

const between = (a: number, b: number): TimeView => ({ startNs: Math.min(a, b), endNs: Math.max(a, b) });
