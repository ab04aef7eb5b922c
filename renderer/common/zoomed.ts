/** Parts of the window are drawn larger while a lesson is presented: the window's pixels and a part's own are two things. */

let isAny = false;

/** Told by whoever draws a part larger, before it is drawn: to ask each element would cost every frame a little. */
export function setZoomed(zoomed: boolean): void {
  isAny = zoomed;
}

/** What is presented is read from the last row: as large as the screen has room for. */
export const presentedZoom = (): number => (window.innerHeight < 960 ? 1.35 : 2);

/** How much larger an element is drawn than it is laid out. */
export const zoomOf = (element: Element): number =>
  isAny ? ((element as Element & { readonly currentCSSZoom?: number }).currentCSSZoom ?? 1) : 1;

/** A point of the window in the element's own pixels. */
export function placeWithin(element: Element, x: number, y: number): { readonly x: number; readonly y: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = zoomOf(element);
  return { x: (x - left) / zoom, y: (y - top) / zoom };
}

/** The screen's pixels in one of the canvas. */
export const pixelRatioOf = (canvas: Element): number => (window.devicePixelRatio || 1) * zoomOf(canvas);
