/** Names of the lanes: drag one to another place, open its menu, or use its keys. */
import { DndContext, type DragMoveEvent, PointerSensor, useDraggable, useSensor, useSensors } from '@dnd-kit/core';
import { VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconPinFilled } from '@tabler/icons-react';
import { type KeyboardEvent, type MouseEvent, memo, type RefObject, useLayoutEffect, useRef, useState } from 'react';
import type { TermId } from '../../../core/explain/glossary/terms.ts';
import { commandOf } from '../../commands/command.ts';
import type { LoadedRun } from '../../store/opened/loadedRun.ts';
import { type LaneAction, laneActions, laneKeys, movedTo, type Slot, take } from '../tracks/laneActions.ts';
import type { Layout, TrackRow } from '../tracks/layout.ts';
import { arrangementOf } from '../tracks/useArrangement.ts';
import classes from './Gutter.module.css';
import { LaneMenu, type MenuPlace } from './LaneMenu.tsx';

export const gutterWidth = 148;

interface Props {
  /** Null if lanes can't be arranged. */
  readonly run: LoadedRun | null;
  readonly layout: Layout;
  /** The scrolling element. */
  readonly body: RefObject<HTMLDivElement | null>;
  readonly onTerm: ((term: TermId) => void) | undefined;
}

/** Pixels, more than a hand moves during a click. */
const startDistance = 5;

/** Redraws only with `layout` and `run`: see useSteady(). */
export const Gutter = memo(function Gutter({ run, layout, body, onTerm }: Props) {
  const [current, setCurrent] = useState<string | null>(null);
  const [menu, setMenu] = useState<(MenuPlace & { readonly row: string }) | null>(null);
  const [slot, setSlot] = useState<Slot | null>(null);
  const list = useRef<HTMLDivElement>(null);
  const sensors = useSensors(useSensor(PointerSensor, { activationConstraint: { distance: startDistance } }));
  const reachable = layout.rows.find(({ id }) => id === current)?.id ?? layout.rows[0]?.id;
  const focus = (id: string | undefined): void => {
    if (id === undefined) return;
    setCurrent(id);
    list.current?.querySelector<HTMLElement>(`[data-row-id="${CSS.escape(id)}"]`)?.focus();
  };
  const back = useRef<string | undefined>(undefined);
  // Pinning or moving recreates the row elsewhere. A timer would move the focus after the next key.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once the lanes have their new places, or the menu is gone.
  useLayoutEffect(() => {
    if (document.activeElement === document.body) focus(back.current);
  }, [layout, menu]);
  const open = (row: TrackRow, x: number, y: number): void => {
    if (run !== null) setMenu({ row: row.id, x, y });
  };
  const onKeyDown = (row: TrackRow, event: KeyboardEvent<HTMLElement>): void => {
    const used = rowKey(event, row, layout, run, focus);
    if (used === 'menu') {
      const box = event.currentTarget.getBoundingClientRect();
      open(row, box.left + 20, box.bottom);
    }
    if (used !== null) event.preventDefault();
    back.current = used === 'moved' ? row.id : undefined;
  };
  const section = (pinned: boolean) => (
    <Rows
      rows={layout.rows.filter((row) => row.pinned === pinned)}
      label={pinned ? 'Pinned lanes' : 'Lanes'}
      reachable={reachable}
      arrangeable={run !== null}
      onKeyDown={onKeyDown}
      onMenu={(row, event) => {
        event.preventDefault();
        setCurrent(row.id);
        open(row, event.clientX, event.clientY);
      }}
      onFocus={setCurrent}
      onFold={(row) => run !== null && takeOf('fold', row, layout, run)}
      line={slot?.pinned === pinned ? lineOf(layout, slot) : null}
    />
  );
  const menuRow = layout.rows.find(({ id }) => id === menu?.row);
  return (
    <DndContext
      sensors={sensors}
      accessibility={{ screenReaderInstructions: { draggable: '' } }}
      onDragMove={(event) => setSlot(slotUnder(event, layout, body.current))}
      onDragCancel={() => setSlot(null)}
      onDragEnd={(event) => {
        const row = layout.rows.find(({ id }) => id === event.active.id);
        const to = slotUnder(event, layout, body.current);
        if (run !== null && row !== undefined && to !== null) {
          take(run, { next: movedTo(row, layout, arrangementOf(run), to), done: `${row.name} is moved.` });
        }
        setSlot(null);
      }}
    >
      <div className={classes['gutter']} style={{ width: gutterWidth }} ref={list}>
        {layout.pinnedHeight === 0 ? null : (
          <div className={classes['pinned']} style={{ height: layout.pinnedHeight }}>
            {section(true)}
          </div>
        )}
        {section(false)}
      </div>
      {run === null || menu === null || menuRow === undefined ? null : (
        <LaneMenu
          run={run}
          row={menuRow}
          layout={layout}
          place={menu}
          onTerm={onTerm}
          onClose={() => {
            setMenu(null);
            // The lane may be gone, or have moved.
            back.current = menuRow.id;
          }}
        />
      )}
    </DndContext>
  );
});

interface RowsProps {
  readonly rows: readonly TrackRow[];
  readonly label: string;
  readonly reachable: string | undefined;
  readonly arrangeable: boolean;
  readonly onKeyDown: (row: TrackRow, event: KeyboardEvent<HTMLElement>) => void;
  readonly onMenu: (row: TrackRow, event: MouseEvent) => void;
  readonly onFocus: (id: string) => void;
  readonly onFold: (row: TrackRow) => void;
  /** Target position of the dragged lane; null if none is dragged. */
  readonly line: number | null;
}

function Rows({ rows, label, line, ...handlers }: RowsProps) {
  return (
    <>
      <ul aria-label={label} className={classes['rows']}>
        {rows.map((row) => (
          <Row key={row.id} row={row} {...handlers} />
        ))}
      </ul>
      {line === null ? null : <div className={classes['line']} style={{ top: line - 1 }} aria-hidden />}
    </>
  );
}

interface RowProps extends Omit<RowsProps, 'rows' | 'label' | 'line'> {
  readonly row: TrackRow;
}

/** Lower rows have no room for the second line. */
const leastDetailHeight = 28;

function Row({ row, reachable, arrangeable, onKeyDown, onMenu, onFocus, onFold }: RowProps) {
  const { id, name, detail, top, height, tracks, group, folded, leads, pinned } = row;
  const drag = useDraggable({ id, disabled: !arrangeable });
  const [track] = tracks;
  const kind = folded || track === undefined ? 'fold' : track.kind === 'lane' ? track.lane.kind : track.kind;
  const isOneLine = !arrangeable || height < leastDetailHeight || detail.toLowerCase() === name.toLowerCase();
  const states = [pinned ? 'pinned' : '', folded ? 'collapsed' : ''].filter(Boolean);
  return (
    <li
      data-lane-id={id}
      data-kind={kind}
      data-dragging={drag.isDragging || undefined}
      data-low={height < leastDetailHeight || undefined}
      style={{ top, height }}
    >
      {arrangeable && leads ? (
        <button
          type="button"
          className={classes['fold']}
          tabIndex={-1}
          aria-expanded={!folded}
          aria-label={`${folded ? 'Expand' : 'Collapse'} ${group.name.toLowerCase()}`}
          onClick={() => onFold(row)}
        >
          {folded ? <IconChevronRight size={13} /> : <IconChevronDown size={13} />}
        </button>
      ) : null}
      {arrangeable ? (
        <button
          ref={drag.setNodeRef}
          {...drag.listeners}
          type="button"
          className={classes['name']}
          data-row-id={id}
          tabIndex={id === reachable ? 0 : -1}
          aria-haspopup="menu"
          title={`${name}, ${detail}`}
          onKeyDown={(event) => onKeyDown(row, event)}
          onContextMenu={(event) => onMenu(row, event)}
          onFocus={() => onFocus(id)}
        >
          <Words name={name} detail={detail} shown={!isOneLine} states={states} />
        </button>
      ) : (
        <div className={classes['name']} title={`${name}, ${detail}`}>
          <Words name={name} detail={detail} shown={!isOneLine} states={states} />
        </div>
      )}
      {pinned ? <IconPinFilled className={classes['pin']} size={11} aria-hidden /> : null}
    </li>
  );
}

interface WordsProps {
  readonly name: string;
  readonly detail: string;
  /** True if there is room for the detail. */
  readonly shown: boolean;
  readonly states: readonly string[];
}

/** Screen readers read hidden parts too. */
function Words({ name, detail, shown, states }: WordsProps) {
  return (
    <>
      <span data-lane-name>{name}</span>
      <VisuallyHidden>, </VisuallyHidden>
      {shown ? <small>{detail}</small> : <VisuallyHidden>{detail}</VisuallyHidden>}
      {states.map((state) => (
        <VisuallyHidden key={state}>, {state}</VisuallyHidden>
      ))}
    </>
  );
}

const rowKeys = {
  above: { name: 'Name above', keys: ['ArrowUp'] },
  below: { name: 'Name below', keys: ['ArrowDown'] },
  menu: { name: 'Its menu (also a right click)', keys: ['Enter', 'Space', 'ContextMenu', 'shift F10'] },
} as const;

/** Keys on a lane's name. */
export const gutterKeys = Object.entries({ ...rowKeys, ...laneKeys }).map(([id, entry]) => ({
  id: id as keyof typeof rowKeys | LaneAction['id'],
  ...entry,
}));

/** Handles a key on a row. Returns its effect, or null if the key has no meaning. */
function rowKey(
  event: KeyboardEvent<HTMLElement>,
  row: TrackRow,
  layout: Layout,
  run: LoadedRun | null,
  focus: (id: string | undefined) => void,
): 'menu' | 'moved' | 'done' | null {
  let id = commandOf(gutterKeys, event)?.id;
  if (run === null || id === undefined) return null;
  const at = layout.rows.findIndex((one) => one.id === row.id);
  if (id === 'menu') return id;
  if (id === 'above' || id === 'below') {
    focus(layout.rows[at + (id === 'above' ? -1 : 1)]?.id);
    return 'done';
  }
  // A single lane is its whole group, and hiding a folded row hides the group.
  if (id === 'pin-group' && row.group.count < 2) id = 'pin';
  if (id === 'hide-group' && (row.folded || row.group.count < 2)) id = 'hide';
  if (id === 'hide' || id === 'hide-group') {
    const stays = (other: TrackRow): boolean => id === 'hide' || other.group.id !== row.group.id;
    const left = [...layout.rows.slice(at + 1), ...layout.rows.slice(0, at).reverse()];
    focus(left.find(stays)?.id);
  }
  takeOf(id, row, layout, run);
  return id === 'hide' || id === 'hide-group' || id === 'thin' || id === 'fold' ? 'done' : 'moved';
}

function takeOf(id: LaneAction['id'], row: TrackRow, layout: Layout, run: LoadedRun): void {
  const action = laneActions(row, layout, arrangementOf(run)).find((one) => one.id === id);
  if (action !== undefined) take(run, action);
}

/** Returns the gap under the pointer: the nearer edge of the row there. */
function slotUnder({ activatorEvent, delta }: DragMoveEvent, layout: Layout, body: HTMLElement | null): Slot | null {
  if (!(activatorEvent instanceof PointerEvent) || body === null) return null;
  const y = activatorEvent.clientY + delta.y - body.getBoundingClientRect().top;
  const pinned = y < layout.pinnedHeight;
  const at = pinned ? y : y + body.scrollTop;
  const section = layout.rows.filter((row) => row.pinned === pinned);
  const index = section.findIndex((row) => at < row.top + row.height / 2);
  return { pinned, index: index < 0 ? section.length : index };
}

function lineOf(layout: Layout, { pinned, index }: Slot): number {
  const section = layout.rows.filter((row) => row.pinned === pinned);
  const last = section.at(-1);
  return section[index]?.top ?? (last === undefined ? 0 : last.top + last.height);
}
