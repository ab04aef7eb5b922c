import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import { clampView, limitsOf, type TimeView } from './timeView.ts';

export interface TimeWindow {
  readonly view: TimeView;
  readonly limits: TimeView;
  /** Moves the view; several moves within one frame are drawn once. */
  readonly move: (change: (view: TimeView, limits: TimeView) => TimeView) => void;
  /** The time under the pointer, at which keys zoom; null while it is elsewhere. */
  readonly cursor: RefObject<number | null>;
}

/** The visible stretch of an extent. It starts anew when the extent changes, since then something else is shown. */
export function useTimeView(extentNs: number): TimeWindow {
  const limits = limitsOf(extentNs);
  const [shown, setShown] = useState({ extentNs, view: limits });
  const next = useRef(shown.view);
  const frame = useRef(0);
  const cursor = useRef<number | null>(null);
  if (shown.extentNs !== extentNs) setShown({ extentNs, view: limits });
  const view = shown.extentNs === extentNs ? shown.view : limits;
  useEffect(() => {
    next.current = view;
  }, [view]);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  const move = useCallback(
    (change: (view: TimeView, limits: TimeView) => TimeView) => {
      const bounds = limitsOf(extentNs);
      next.current = clampView(change(next.current, bounds), bounds);
      cancelAnimationFrame(frame.current);
      frame.current = requestAnimationFrame(() => setShown({ extentNs, view: next.current }));
    },
    [extentNs],
  );
  return { view, limits, move, cursor };
}
