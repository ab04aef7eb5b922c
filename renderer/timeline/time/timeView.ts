/** The visible time range, and its moves by keys and pointer. Pure functions from pixels to nanoseconds. */
export interface TimeView {
  readonly startNs: number;
  readonly endNs: number;
}

/** Deeper zoom would show nothing more, since timestamps are whole nanoseconds. */
export const leastSpanNs = 20;
/** Space on both sides of a fitted range, as a share of it. */
const margin = 0.03;

export const spanNs = (view: TimeView): number => view.endNs - view.startNs;

/** Returns the widest view: the run's extent with a margin on both sides. */
export function limitsOf(extentNs: number): TimeView {
  const space = Math.max(extentNs, leastSpanNs) * margin;
  return { startNs: -space, endNs: Math.max(extentNs, leastSpanNs) + space };
}

/** Returns the view, moved and narrowed as little as needed to lie within the limits. */
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

/** Returns the time to zoom at without a pointer: the middle of the selection's visible part, else of the view. */
export function zoomAnchor(view: TimeView, selected: TimeView | null): number {
  const startNs = Math.max(view.startNs, selected?.startNs ?? view.startNs);
  const endNs = Math.min(view.endNs, selected?.endNs ?? view.endNs);
  return startNs <= endNs ? (startNs + endNs) / 2 : (view.startNs + view.endNs) / 2;
}

export function panBy(view: TimeView, byNs: number, limits: TimeView): TimeView {
  return clampView({ startNs: view.startNs + byNs, endNs: view.endNs + byNs }, limits);
}

/** Returns a view of a time range with margins. */
export function fitView(startNs: number, endNs: number, limits: TimeView): TimeView {
  const space = Math.max((endNs - startNs) * 0.15, leastSpanNs);
  return clampView({ startNs: startNs - space, endNs: endNs + space }, limits);
}

/** Returns the view moved just far enough to show a time range; unchanged if it is visible already. */
export function revealIn(view: TimeView, startNs: number, endNs: number, limits: TimeView): TimeView {
  if (startNs >= view.startNs && endNs <= view.endNs) return view;
  if (endNs - startNs > spanNs(view) * 0.9) return fitView(startNs, endNs, limits);
  return panBy(view, (startNs + endNs) / 2 - (view.startNs + view.endNs) / 2, limits);
}

export const toPixels = (view: TimeView, width: number, timeNs: number): number =>
  ((timeNs - view.startNs) / spanNs(view)) * width;

export const toTime = (view: TimeView, width: number, pixels: number): number =>
  view.startNs + (width > 0 ? pixels / width : 0) * spanNs(view);
