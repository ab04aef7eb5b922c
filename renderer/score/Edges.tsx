/** Dashed lines from where an event is recorded to where it is waited for. */
import classes from './Score.module.css';
import type { ScoreBlock } from './scoreLayout.ts';
import { useSelectedOp } from './selectedOp.ts';
import { boxOf, rowHeight, type SheetPlaces } from './sheet.ts';

interface Props {
  readonly sheet: SheetPlaces;
  /** Visible columns; edges that only pass under other columns are not drawn. */
  readonly first: number;
  readonly last: number;
}

export function Edges({ sheet, first, last }: Props) {
  const selected = useSelectedOp(sheet.experiment);
  const place = (block: ScoreBlock): { left: number; right: number; y: number } => {
    const { left, right, top } = boxOf(sheet, block);
    return { left, right, y: top + rowHeight / 2 };
  };
  const { edges, blocks } = sheet.layout;
  const [dim, lit]: [string[], string[]] = [[], []];
  for (const edge of edges) {
    const [from, to] = [blocks[edge.from], blocks[edge.to]];
    if (from === undefined || to === undefined || from.column > last || to.column < first) continue;
    const [start, end] = [place(from), place(to)];
    const bend = Math.max(24, (end.left - start.right) / 2);
    const isLit = from.op === selected || to.op === selected;
    (isLit ? lit : dim).push(
      `M${start.right} ${start.y} C${start.right + bend} ${start.y} ${end.left - bend} ${end.y} ${end.left} ${end.y}`,
    );
  }
  // One element for all edges of one look, since an edit moves most of them.
  return (
    <svg className={classes['edges']} aria-hidden="true">
      {dim.length === 0 ? null : <path d={dim.join(' ')} />}
      {lit.length === 0 ? null : <path d={lit.join(' ')} data-lit />}
    </svg>
  );
}
