/** How wide each column of the score is: as wide as its words need, within reason. */
import { lowerBound } from '../../core/lowerBound.ts';
import type { ScoreLayout } from './scoreLayout.ts';

export interface ColumnPlaces {
  /** Pixels from the first column's left edge. Beyond the last column come empty ones of the least width. */
  left(column: number): number;
  width(column: number): number;
  /** The column at a distance from the first one's left edge. */
  at(pixels: number): number;
  readonly total: number;
}

const leastWidth = 84;
/** Room for what a copy is of, with its size. */
const mostWidth = 208;
/** Mean widths of a character at the block's two sizes. Estimated, so that nothing has to be measured before drawing. */
const labelCharacter = 6.3;
const detailCharacter = 5.3;
/** With room for a word of wide letters. */
const iconAndPadding = 48;
const verdictWidth = 20;

export function placeColumns(layout: ScoreLayout): ColumnPlaces {
  const widths = new Float64Array(layout.columns).fill(leastWidth);
  for (const block of layout.blocks) widths[block.column] = Math.max(widths[block.column] ?? 0, block.width);
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

/** Pixels that a block of these words takes. A copy has room for what became of it besides. */
export function blockWidth(label: string, detail: string, isCopy: boolean): number {
  const words = Math.max(label.length * labelCharacter, detail.length * detailCharacter);
  const judged = isCopy ? verdictWidth : 0;
  return Math.round(Math.min(Math.max(words + iconAndPadding + judged, leastWidth), mostWidth));
}
