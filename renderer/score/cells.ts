/** Cells of the score: the block in a cell, and the place in the document of something put there. */
import type { EdgeEnd } from '../../core/experiment/edit/edge.ts';
import { atEndOf, type Place, placeAt } from '../../core/experiment/edit/paths.ts';
import type { Target } from '../../core/experiment/edit/rows.ts';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { startsWith } from '../../core/shape/path.ts';
import type { Cell } from '../store/types.ts';
import type { ScoreBlock, ScoreGroup, ScoreLayout } from './scoreLayout.ts';

export const blockAt = (layout: ScoreLayout, cell: Cell): ScoreBlock | undefined =>
  layout.blocks.find(({ row, column }) => row === cell.row && column === cell.column);

export interface CellPlace {
  readonly place: Place;
  readonly target: Target;
}

/**
 * Returns the place of an operation put into a cell: before the first operation in that column or a later one, issued
 * by the row's own thread, or by `thread` if any thread may use the row. A dragged one can also be put between the
 * beginnings or the ends of groups: placesIn().
 */
export function placeOfCell(experiment: Experiment, layout: ScoreLayout, cell: Cell, thread: number): CellPlace {
  const row = layout.rows[cell.row];
  const target = row?.target ?? { row: 'host' };
  const issuer = row?.thread ?? nearestThread(layout, cell) ?? thread;
  const next = layout.blocks.find((block) => block.thread === issuer && block.column >= cell.column);
  if (next === undefined) return { place: atEndOf(experiment, issuer), target };
  const around = groupsAround(layout, next);
  if (next.column > cell.column) {
    const first = around.find(({ firstColumn }) => firstColumn > cell.column) ?? next;
    return { place: placeAt(first.path), target };
  }
  const places = placesIn(next, around);
  const at = cell.part === undefined ? null : Math.floor(cell.part * places.length);
  return { place: (at === null ? null : places[at]) ?? placeAt(next.path), target };
}

/**
 * Returns the places that share a block's column, from the left: before each group that begins with the block, before
 * the block, and, if groups end with it, after the block and after each of them but the outermost.
 */
function placesIn({ column, path }: ScoreBlock, around: readonly ScoreGroup[]): Place[] {
  const begin = around.filter(({ firstColumn }) => firstColumn === column);
  const end = around.filter(({ lastColumn }) => lastColumn === column).slice(1);
  return [
    ...[...begin, { path }].map((one) => placeAt(one.path)),
    ...(around.some(({ lastColumn }) => lastColumn === column) ? [{ path }, ...end.reverse()] : []).map((one) =>
      placeAt(one.path, 'after'),
    ),
  ];
}

/** Returns the part of a column that means the same place as the cell. */
export function partOfCell(layout: ScoreLayout, { column, part = 0 }: Cell): { from: number; share: number } {
  const places = layout.blocks
    .filter((block) => block.column === column)
    .map((block) => placesIn(block, groupsAround(layout, block)).length);
  const share = 1 / Math.max(...places, 1);
  return { from: Math.floor(part / share) * share, share };
}

/** Returns the groups around a block, from the outermost. */
const groupsAround = ({ groups }: ScoreLayout, block: ScoreBlock): ScoreGroup[] =>
  groups
    .filter((group) => group.thread === block.thread && startsWith(block.path, group.path))
    .sort((a, b) => a.depth - b.depth);

/** Returns the thread that issues the last block before the cell in its row. */
function nearestThread(layout: ScoreLayout, cell: Cell): number | null {
  const before = layout.blocks.filter((block) => block.row === cell.row && block.column <= cell.column);
  return (
    before.reduce<ScoreBlock | null>((near, one) => (near === null || one.column > near.column ? one : near), null)
      ?.thread ?? null
  );
}

/** Returns the end of an edge released over a cell. */
export function edgeEnd(experiment: Experiment, layout: ScoreLayout, cell: Cell, thread: number): EdgeEnd {
  const block = blockAt(layout, cell);
  return block === undefined ? placeOfCell(experiment, layout, cell, thread) : { at: block.path };
}
