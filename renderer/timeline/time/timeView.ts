/** The visible stretch of time, and how keys and pointer move it. Pure: pixels in, nanoseconds out. */
export interface TimeView {
  readonly startNs: number;
  readonly endNs: number;
}

/** Nearer than this nothing more can be seen: timestamps are whole nanoseconds. */
export const leastSpanNs = 20;
/** Space left beside what is fitted, as a share of it. */
const margin = 0.03;

export const spanNs = (view: TimeView): number => view.endNs - view.startNs;

/** Everything that may be shown: the run's extent and a margin on both sides. */
export function limitsOf(extentNs: number): TimeView {
  const space = Math.max(extentNs, leastSpanNs) * margin;
  return { startNs: -space, endNs: Math.max(extentNs, leastSpanNs) + space };
}

/** The view moved and narrowed as little as needed to lie within the limits. */
export function clampView(view: TimeView, limits: TimeView): TimeView {
  const span = Math.min(Math.max(spanNs(view), leastSpanNs), spanNs(limits));
  const startNs = Math.min(Math.max(view.startNs, limits.startNs), limits.endNs - span);
  return { startNs, endNs: startNs + span };
}

/** Zooms so that `anchorNs` stays where it is on screen. A factor below 1 zooms in. */
export function zoomAt(view: TimeView, anchorNs: number, factor: number, limits: TimeView): TimeView {
  const span = Math.min(Math.max(spanNs(view) * factor, leastSpanNs), spanNs(limits));
  const share = spanNs(view) > 0 ? (anchorNs - view.startNs) / spanNs(view) : 0.5;
  const startNs = anchorNs - share * span;
  return clampView({ startNs, endNs: startNs + span }, limits);
}

/** Where to zoom with no pointer to say it: at what of the selection is in view, else in the middle. */
export function zoomAnchor(view: TimeView, selected: TimeView | null): number {
  const startNs = Math.max(view.startNs, selected?.startNs ?? view.startNs);
  const endNs = Math.min(view.endNs, selected?.endNs ?? view.endNs);
  return startNs <= endNs ? (startNs + endNs) / 2 : (view.startNs + view.endNs) / 2;
}

export function panBy(view: TimeView, byNs: number, limits: TimeView): TimeView {
  return clampView({ startNs: view.startNs + byNs, endNs: view.endNs + byNs }, limits);
}

/** A stretch of time with a margin beside it. */
export function fitView(startNs: number, endNs: number, limits: TimeView): TimeView {
  const space = Math.max((endNs - startNs) * 0.15, leastSpanNs);
  return clampView({ startNs: startNs - space, endNs: endNs + space }, limits);
}

/** The view moved just far enough to show a stretch; unchanged where it is visible already. */
export function revealIn(view: TimeView, startNs: number, endNs: number, limits: TimeView): TimeView {
  if (startNs >= view.startNs && endNs <= view.endNs) return view;
  if (endNs - startNs > spanNs(view) * 0.9) return fitView(startNs, endNs, limits);
  return panBy(view, (startNs + endNs) / 2 - (view.startNs + view.endNs) / 2, limits);
}

export const toPixels = (view: TimeView, width: number, timeNs: number): number =>
  ((timeNs - view.startNs) / spanNs(view)) * width;

export const toTime = (view: TimeView, width: number, pixels: number): number =>
  view.startNs + (width > 0 ? pixels / width : 0) * spanNs(view);
