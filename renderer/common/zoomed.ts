/** A presented lesson enlarges parts of the window, so pixels of the window and of a part differ. */

let isAny = false;

/** Called before a part is drawn enlarged, since querying each element would slow every frame. */
export function setZoomed(zoomed: boolean): void {
  isAny = zoomed;
}

/** Returns the zoom of a presented lesson, large enough to read from the last row. A low window is zoomed already. */
export const presentedZoom = (): number => (window.innerHeight < 700 ? 1 : window.innerHeight < 960 ? 1.35 : 2);

/** Returns the drawn size of an element divided by its layout size. */
export const zoomOf = (element: Element): number =>
  isAny ? ((element as Element & { readonly currentCSSZoom?: number }).currentCSSZoom ?? 1) : 1;

/** Converts a point of the window to the element's own pixels. */
export function placeWithin(element: Element, x: number, y: number): { readonly x: number; readonly y: number } {
  const { left, top } = element.getBoundingClientRect();
  const zoom = zoomOf(element);
  return { x: (x - left) / zoom, y: (y - top) / zoom };
}

/** Returns screen pixels per pixel of the canvas. */
export const pixelRatioOf = (canvas: Element): number => (window.devicePixelRatio || 1) * zoomOf(canvas);
