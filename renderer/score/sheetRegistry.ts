/** The sheet on screen, for items dragged over it from elsewhere. */
import { placeWithin, zoomOf } from '../common/zoomed.ts';
import type { Cell } from '../store/types.ts';
import { cellAt, gutterWidth, type SheetPlaces } from './sheet.ts';

let shown: { readonly element: HTMLElement; readonly sheet: SheetPlaces } | null = null;

export function registerSheet(element: HTMLElement | null, sheet: SheetPlaces): () => void {
  const mine = element === null ? null : { element, sheet };
  shown = mine;
  return () => {
    if (shown === mine) shown = null;
  };
}

/** Returns the cell at a point of the window, or null if the score is not there. */
export function cellAtPoint(x: number, y: number): Cell | null {
  if (shown === null) return null;
  const view = (shown.element.parentElement ?? shown.element).getBoundingClientRect();
  const isInside =
    x >= view.left + gutterWidth * zoomOf(shown.element) && x <= view.right && y >= view.top && y <= view.bottom;
  if (!isInside) return null;
  const place = placeWithin(shown.element, x, y);
  return cellAt(shown.sheet, place.x, place.y);
}
