/** Positions of rows, columns and blocks on the score's sheet, in pixels from its top left corner. */
import type { Experiment } from '../../core/experiment/experiment.ts';
import { placeWithin, zoomOf } from '../common/zoomed.ts';
import type { Cell } from '../store/types.ts';
import type { ColumnPlaces } from './columns.ts';
import type { ScoreBlock, ScoreLayout } from './scoreLayout.ts';

export const rowHeight = 34;
export const headHeight = 22;
export const gutterWidth = 148;
export const groupHeight = 18;
export const blockGap = 6;

/** Returns the top of the first row, below the column numbers and the brackets of repeats and ranges. */
export const rowsTop = ({ groups }: ScoreLayout): number =>
  headHeight + groups.reduce((most, group) => Math.max(most, group.depth + 1), 0) * groupHeight;

export interface SheetPlaces {
  /** The shown experiment, which may differ from the open one. */
  readonly experiment: Experiment;
  readonly layout: ScoreLayout;
  readonly columns: ColumnPlaces;
  readonly top: number;
}

export const cellLeft = ({ columns }: SheetPlaces, column: number): number => gutterWidth + columns.left(column);
export const cellTop = ({ top }: SheetPlaces, row: number): number => top + row * rowHeight;

/** Returns the cell at a point of the sheet, or the nearest one if the point is outside. */
export function cellAt({ layout, columns, top }: SheetPlaces, x: number, y: number): Cell {
  const row = Math.min(Math.max(Math.floor((y - top) / rowHeight), 0), layout.rows.length - 1);
  return { row, column: Math.max(columns.at(Math.max(0, x - gutterWidth)), 0) };
}

export interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export function boxOf(sheet: SheetPlaces, block: ScoreBlock): Box {
  const [left, top] = [cellLeft(sheet, block.column), cellTop(sheet, block.row)];
  return { left, top, right: left + sheet.columns.width(block.column) - blockGap, bottom: top + rowHeight - 6 };
}

export const touches = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

/** The sheet on screen, for items dragged over it from elsewhere. */
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
  const cell = cellAt(shown.sheet, place.x, place.y);
  return { ...cell, part: (place.x - cellLeft(shown.sheet, cell.column)) / shown.sheet.columns.width(cell.column) };
}
