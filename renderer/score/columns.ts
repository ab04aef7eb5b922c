/** Widths of the score's columns, by their text within limits. */
import { lowerBound } from '../../core/lowerBound.ts';
import type { ScoreLayout } from './scoreLayout.ts';

export interface ColumnPlaces {
  /** Returns pixels from the first column's left edge. Empty columns of minimum width follow the last one. */
  left(column: number): number;
  width(column: number): number;
  /** Returns the column at a distance from the first one's left edge. */
  at(pixels: number): number;
  readonly total: number;
}

const leastWidth = 84;
/** Width with room for the buffers and the size of a copy. */
const mostWidth = 208;
/** Mean character widths at the block's two font sizes, so that nothing is measured before drawing. */
const labelCharacter = 6.3;
const detailCharacter = 5.3;
/** Width with room for a word of wide letters. */
const iconAndPadding = 48;
const verdictWidth = 20;
/** Padding of a group's bracket, and the gap after it. */
const groupPadding = 26;

export function placeColumns(layout: ScoreLayout): ColumnPlaces {
  const widths = new Float64Array(layout.columns).fill(leastWidth);
  for (const block of layout.blocks) widths[block.column] = Math.max(widths[block.column] ?? 0, block.width);
  for (const { firstColumn, lastColumn, label } of layout.groups) {
    if (firstColumn !== lastColumn) continue;
    const width = Math.min(label.length * labelCharacter + groupPadding, mostWidth);
    widths[firstColumn] = Math.max(widths[firstColumn] ?? 0, width);
  }
  const lefts = new Float64Array(layout.columns + 1);
  for (let column = 0; column < layout.columns; column += 1) {
    lefts[column + 1] = (lefts[column] ?? 0) + (widths[column] ?? 0);
  }
  const total = lefts[layout.columns] ?? 0;
  return {
    left: (column) => lefts[column] ?? total + (column - layout.columns) * leastWidth,
    width: (column) => widths[column] ?? leastWidth,
    at: (pixels) =>
      pixels >= total
        ? layout.columns + Math.floor((pixels - total) / leastWidth)
        : lowerBound(0, layout.columns, (column) => (lefts[column + 1] ?? 0) <= pixels),
    total,
  };
}

/** Returns the width in pixels of a block with these texts. A copy also has room for its verdict. */
export function blockWidth(label: string, detail: string, isCopy: boolean): number {
  const words = Math.max(label.length * labelCharacter, detail.length * detailCharacter);
  const judged = isCopy ? verdictWidth : 0;
  return Math.round(Math.min(Math.max(words + iconAndPadding + judged, leastWidth), mostWidth));
}
