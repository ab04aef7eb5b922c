/** The score: host threads and streams as rows, issue order as columns, operations as editable blocks. */

import { useElementSize } from '@mantine/hooks';
import { type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { Experiment } from '../../core/experiment/experiment.ts';
import { placeWithin } from '../common/zoomed.ts';
import { currentExperiment } from '../store/select.ts';
import { select, useApp } from '../store/store.ts';
import { Blocks } from './Blocks.tsx';
import { blockAt, partOfCell } from './cells.ts';
import { placeColumns } from './columns.ts';
import { onScoreKey } from './commands.ts';
import { setCursor, useCursorFollowsSelection } from './cursor.ts';
import { isFocusWished, setEditor, useEditor, wishFocus } from './editor.ts';
import classes from './Score.module.css';
import { type ScoreBlock, scoreLayout } from './scoreLayout.ts';
import { selectedId, useSelectedOp } from './selectedOp.ts';
import {
  type Box,
  blockGap,
  boxOf,
  cellAt,
  cellLeft,
  cellTop,
  groupHeight,
  gutterWidth,
  headHeight,
  registerSheet,
  rowHeight,
  rowsTop,
  type SheetPlaces,
  touches,
} from './sheet.ts';

/** Dashed lines from where an event is recorded to where it is waited for. */
interface Props {
  readonly sheet: SheetPlaces;
  /** Visible columns; edges that only pass under other columns are not drawn. */
  readonly first: number;
  readonly last: number;
}

function Edges({ sheet, first, last }: Props) {
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

const scrollBarHeight = 13;
const toolbarHeight = 38;
/** Columns drawn beyond the visible ones, so that scrolling shows no gap. */
const overscan = 4;
/** Empty columns after the last block, where operations can be added. */
const spareColumns = 3;

/** Returns the height in pixels that shows every row, with toolbar and scroll bar. */
export function scoreHeight(experiment: Experiment): number {
  const layout = scoreLayout(experiment);
  return toolbarHeight + rowsTop(layout) + layout.rows.length * rowHeight + scrollBarHeight;
}

export function Score() {
  const experiment = useApp(currentExperiment);
  return experiment === null ? null : <Sheet experiment={experiment} />;
}

/** The score of any experiment. Only the open one can be edited; show others inert. */
export function Sheet({ experiment }: { readonly experiment: Experiment }) {
  const layout = useMemo(() => scoreLayout(experiment), [experiment]);
  const columns = useMemo(() => placeColumns(layout), [layout]);
  const sheet = useMemo<SheetPlaces>(
    () => ({ experiment, layout, columns, top: rowsTop(layout) }),
    [experiment, layout, columns],
  );
  const { ref: sizeRef, width, height } = useElementSize();
  const [left, setLeft] = useState(0);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => registerSheet(element.current, sheet), [sheet]);
  useCursorFollowsSelection();
  useWishedFocus(element, sheet);
  const band = useRubberBand(element, sheet);
  const first = Math.max(columns.at(left) - overscan, 0);
  const last = columns.at(left + width) + overscan;
  const size = {
    width: Math.max(gutterWidth + columns.left(layout.columns + spareColumns), width),
    height: Math.max(sheet.top + layout.rows.length * rowHeight, height - scrollBarHeight),
  };
  const hasMore = left + width < gutterWidth + columns.left(layout.columns) - blockGap;
  return (
    <section className={classes['score']} aria-label="Score" ref={sizeRef} data-more={hasMore || undefined}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the blocks and cells inside bubble here. */}
      <div
        className={classes['scroll']}
        tabIndex={-1}
        data-scroll
        onScroll={(event) => setLeft(event.currentTarget.scrollLeft)}
        onKeyDown={onScoreKey}
      >
        <div
          className={classes['sheet']}
          style={size}
          ref={element}
          data-testid="score-sheet"
          data-operations={layout.blocks.length}
          {...band.handlers}
        >
          <Columns first={first} last={last} sheet={sheet} />
          <Rows sheet={sheet} />
          <Groups sheet={sheet} />
          <Edges sheet={sheet} first={first} last={last} />
          <DropMark sheet={sheet} />
          <Blocks sheet={sheet} first={first} last={last} />
          <Cursor sheet={sheet} />
          {band.box === null ? null : <div className={classes['band']} style={placed(band.box)} aria-hidden />}
        </div>
      </div>
    </section>
  );
}

const placed = (box: Box) => ({
  left: box.left,
  top: box.top,
  width: box.right - box.left,
  height: box.bottom - box.top,
});

/** Moves the focus to the cursor's cell when it is drawn, if that was requested. */
function useWishedFocus(element: React.RefObject<HTMLDivElement | null>, sheet: SheetPlaces): void {
  const cursor = useApp((state) => state.cursor);
  const picking = useEditor((state) => state.pickerOpen);
  /** Place of the cell that was scrolled into view last. */
  const revealed = useRef('');
  useEffect(() => {
    if (!isFocusWished() || picking) return;
    const target = element.current?.querySelector<HTMLElement>('[data-cursor]') ?? null;
    if (target === null) return;
    const place = `${cellLeft(sheet, cursor.column)} ${cellTop(sheet, cursor.row)} ${sheet.columns.width(cursor.column)}`;
    // The focused cell has not moved, so it is visible or the user has scrolled away from it.
    const stays = document.activeElement === target && place === revealed.current;
    revealed.current = place;
    if (stays) return;
    target.focus({ preventScroll: true });
    reveal(target);
  }, [cursor, sheet, picking, element]);
}

/** Scrolls until the cell and the next one are visible. */
function reveal(target: HTMLElement): void {
  target.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  const scroll = target.closest<HTMLElement>('[data-scroll]');
  if (scroll === null) return;
  const [view, cell] = [scroll.getBoundingClientRect(), target.getBoundingClientRect()];
  const hiddenRight = cell.right + nextColumnWidth - view.right;
  const hiddenLeft = view.left + gutterWidth - cell.left;
  if (hiddenLeft > 0) scroll.scrollLeft -= hiddenLeft + blockGap;
  else if (hiddenRight > 0) scroll.scrollLeft += hiddenRight;
}

const nextColumnWidth = 96;

interface SheetProps {
  readonly sheet: SheetPlaces;
}

function Rows({ sheet }: SheetProps) {
  return sheet.layout.rows.map((row, index) => (
    <div
      key={`${row.kind}:${row.name}`}
      className={classes['row']}
      data-kind={row.kind}
      style={{ top: cellTop(sheet, index), height: rowHeight }}
    >
      <div className={classes['gutter']} style={{ width: gutterWidth }} title={`${row.name}, ${row.detail}`}>
        <span>{row.name}</span>
        <small>{row.detail}</small>
      </div>
    </div>
  ));
}

interface ColumnsProps extends SheetProps {
  readonly first: number;
  readonly last: number;
}

function Columns({ first, last, sheet }: ColumnsProps) {
  const { layout, columns } = sheet;
  const count = Math.max(0, Math.min(last, layout.columns + spareColumns - 1) - first + 1);
  return (
    <div className={classes['head']} style={{ height: headHeight }} aria-hidden>
      <span className={classes['corner']} style={{ width: gutterWidth }}>
        Issue order
      </span>
      {Array.from({ length: count }, (_, index) => first + index).map((column) => (
        <span
          key={column}
          className={`${classes['number']} tabular`}
          style={{ left: cellLeft(sheet, column), width: columns.width(column) }}
        >
          {column + 1}
        </span>
      ))}
    </div>
  );
}

function Groups({ sheet }: SheetProps) {
  const selected = useApp((state) => selectedId(state, sheet.experiment));
  return sheet.layout.groups.map((group) => (
    <button
      key={group.id}
      type="button"
      className={classes['group']}
      data-selected={group.id === selected || undefined}
      aria-pressed={group.id === selected}
      style={{
        top: headHeight + group.depth * groupHeight,
        left: cellLeft(sheet, group.firstColumn),
        width: sheet.columns.left(group.lastColumn + 1) - sheet.columns.left(group.firstColumn) - blockGap,
      }}
      onClick={() => select({ kind: 'op', id: group.id })}
    >
      {group.label}
    </button>
  ));
}

/** The empty cell at the cursor; Blocks draws a block at the cursor. */
function Cursor({ sheet }: SheetProps) {
  const cursor = useApp((state) => state.cursor);
  const row = sheet.layout.rows[cursor.row];
  if (row === undefined || blockAt(sheet.layout, cursor) !== undefined) return null;
  return (
    <button
      type="button"
      className={classes['cursor']}
      data-cursor
      aria-label={`Empty cell, ${row.name}, column ${cursor.column + 1}`}
      aria-keyshortcuts="A"
      style={{
        left: cellLeft(sheet, cursor.column),
        top: cellTop(sheet, cursor.row) + 3,
        width: sheet.columns.width(cursor.column) - blockGap,
        height: rowHeight - 6,
      }}
      onClick={() => {
        wishFocus();
        setEditor({ pickerOpen: true });
      }}
    >
      +
    </button>
  );
}

function DropMark({ sheet }: SheetProps) {
  const cell = useEditor((state) => state.dropCell);
  if (cell === null) return null;
  const { from, share } = partOfCell(sheet.layout, cell);
  const width = sheet.columns.width(cell.column) - blockGap;
  return (
    <div
      className={classes['drop']}
      aria-hidden
      style={{
        left: cellLeft(sheet, cell.column) + width * from,
        top: cellTop(sheet, cell.row) + 2,
        width: width * share,
        height: rowHeight - 4,
      }}
    />
  );
}

/** Dragging over empty cells selects the blocks that the rectangle touches; a click moves the cursor to the cell. */
function useRubberBand(element: React.RefObject<HTMLDivElement | null>, sheet: SheetPlaces) {
  const [box, setBox] = useState<Box | null>(null);
  const from = useRef<{ x: number; y: number } | null>(null);
  const point = (event: PointerEvent): { x: number; y: number } => {
    const { current } = element;
    return current === null
      ? { x: event.clientX, y: event.clientY }
      : placeWithin(current, event.clientX, event.clientY);
  };
  const finish = (event: PointerEvent): void => {
    const start = from.current;
    from.current = null;
    if (start === null) return;
    if (box === null) {
      setCursor(cellAt(sheet, start.x, start.y));
      if (!event.shiftKey) select(null);
      wishFocus();
    } else {
      const [id, ...others] = sheet.layout.blocks
        .filter((block) => touches(boxOf(sheet, block), box))
        .map(({ operation }) => operation.id);
      select(id === undefined ? null : { kind: 'op', id, others });
    }
    setBox(null);
  };
  return {
    box,
    handlers: {
      onPointerDown: (event: PointerEvent<HTMLDivElement>) => {
        if (event.button !== 0 || (event.target as HTMLElement).closest('button, li') !== null) return;
        if (point(event).x < gutterWidth) return;
        from.current = point(event);
        event.currentTarget.setPointerCapture(event.pointerId);
      },
      onPointerMove: (event: PointerEvent<HTMLDivElement>) => {
        const start = from.current;
        if (start === null) return;
        const now = point(event);
        if (box === null && Math.hypot(now.x - start.x, now.y - start.y) < 5) return;
        setBox({
          left: Math.min(start.x, now.x),
          top: Math.min(start.y, now.y),
          right: Math.max(start.x, now.x),
          bottom: Math.max(start.y, now.y),
        });
      },
      onPointerUp: finish,
      onPointerCancel: () => {
        from.current = null;
        setBox(null);
      },
    },
  };
}
