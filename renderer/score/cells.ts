/** Cells of the score: the block in a cell, and the place in the document of something put there. */
import type { EdgeEnd } from '../../core/experiment/edit/edge.ts';
import { atEndOf, type Place, placeAt } from '../../core/experiment/edit/paths.ts';
import type { Target } from '../../core/experiment/edit/rows.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { startsWith } from '../../core/shape/path.ts';
import type { Cell } from '../store/types.ts';
import type { ScoreBlock, ScoreLayout } from './scoreLayout.ts';

export const blockAt = (layout: ScoreLayout, cell: Cell): ScoreBlock | undefined =>
  layout.blocks.find(({ row, column }) => row === cell.row && column === cell.column);

export interface CellPlace {
  readonly place: Place;
  readonly target: Target;
}

/**
 * Returns the place of an operation put into a cell: before the first operation in that column or a later one, issued
 * by the row's own thread, or by `thread` if any thread may use the row.
 */
export function placeOfCell(experiment: Experiment, layout: ScoreLayout, cell: Cell, thread: number): CellPlace {
  const row = layout.rows[cell.row];
  const issuer = row?.thread ?? nearestThread(layout, cell) ?? thread;
  const next = layout.blocks.find((block) => block.thread === issuer && block.column >= cell.column);
  const place = next === undefined ? atEndOf(experiment, issuer) : placeAt(outOfGroups(layout, next, cell.column));
  return { place, target: row?.target ?? { row: 'host' } };
}

/** Returns the thread that issues the last block before the cell in its row. */
function nearestThread(layout: ScoreLayout, cell: Cell): number | null {
  const before = layout.blocks.filter((block) => block.row === cell.row && block.column <= cell.column);
  return (
    before.reduce<ScoreBlock | null>((near, one) => (near === null || one.column > near.column ? one : near), null)
      ?.thread ?? null
  );
}

/** Returns the block's path, or the path of its group if the column is before the whole group. */
function outOfGroups(layout: ScoreLayout, block: ScoreBlock, column: number): ScoreBlock['path'] {
  const around = layout.groups
    .filter((group) => group.thread === block.thread && startsWith(block.path, group.path))
    .sort((a, b) => a.depth - b.depth);
  return around.find((group) => group.firstColumn > column)?.path ?? block.path;
}

/** Returns the end of an edge released over a cell. */
export function edgeEnd(experiment: Experiment, layout: ScoreLayout, cell: Cell, thread: number): EdgeEnd {
  const block = blockAt(layout, cell);
  return block === undefined ? placeOfCell(experiment, layout, cell, thread) : { at: block.path };
}
