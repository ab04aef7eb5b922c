/** The score's keys. They work while the score has the focus, and the timeline's keys then don't. */
import type { KeyboardEvent } from 'react';
import { currentExperiment } from '../store/select.ts';
import { select, state } from '../store/store.ts';
import type { Cell } from '../store/types.ts';
import { blockAt } from './cells.ts';
import {
  changeRow,
  copySelected,
  cutSelected,
  deleteSelected,
  duplicateSelected,
  edgeTo,
  groupSelected,
  newRange,
  paste,
  resizeSelected,
  shiftSelected,
  startEdge,
  toggleFold,
  ungroupSelected,
} from './commands.ts';
import { cursorNow, setCursor } from './cursor.ts';
import { dropFocusWish, editor, focusFields, setEditor, wishFocus } from './editor.ts';
import { type ScoreLayout, scoreLayout } from './scoreLayout.ts';
import { selectedIds } from './selectedOp.ts';

type Act = () => unknown;

/** Keys act on the current document, though the score may draw its last change one frame later. */
export function onScoreKey(event: KeyboardEvent): void {
  const experiment = currentExperiment(state());
  const act = experiment === null ? null : actionOf(event, scoreLayout(experiment));
  if (act === null) return;
  event.preventDefault();
  event.stopPropagation();
  wishFocus();
  // The action may take a while, or move the focus elsewhere.
  const done = act();
  if (done instanceof Promise) void done.then(wishFocus);
}

function actionOf(event: KeyboardEvent, layout: ScoreLayout): Act | null {
  if (event.ctrlKey || event.metaKey) return withControl(event, layout);
  if (event.altKey) return withAlt(event.key);
  const to = nextCell(event.key, layout);
  if (to !== null) return () => goTo(to, layout, event.shiftKey);
  switch (event.key) {
    case 'Enter':
    case ' ':
      return () => enter(layout);
    case 'a':
    case 'A':
    case 'Insert':
      return openPicker;
    case 'e':
    case 'E':
      return startEdge;
    // F alone fits the selection in the lanes, here too.
    case 'F':
      return event.shiftKey ? () => toggleFold() : null;
    case '+':
    case '=':
      return () => resizeSelected(1);
    case '-':
      return () => resizeSelected(-1);
    case 'Delete':
    case 'Backspace':
      return deleteSelected;
    case 'Escape':
      return letGo;
    default:
      return null;
  }
}

function withControl(event: KeyboardEvent, layout: ScoreLayout): Act | null {
  switch (event.key.toLowerCase()) {
    case 'a':
      return () => selectAll(layout);
    case 'c':
      return copySelected;
    case 'x':
      return cutSelected;
    case 'v':
      return paste;
    case 'd':
      return duplicateSelected;
    case 'g':
      if (event.shiftKey) return ungroupSelected;
      return () => (event.altKey ? groupSelected(newRange) : groupSelected());
    default:
      return null;
  }
}

function withAlt(key: string): Act | null {
  switch (key) {
    case 'ArrowLeft':
      return () => shiftSelected(-1);
    case 'ArrowRight':
      return () => shiftSelected(1);
    case 'ArrowUp':
      return () => changeRow(-1);
    case 'ArrowDown':
      return () => changeRow(1);
    default:
      return null;
  }
}

/** Returns the cell that a key leads to, or null if the key doesn't move. */
function nextCell(key: string, layout: ScoreLayout): Cell | null {
  const { row, column } = cursorNow();
  switch (key) {
    case 'ArrowLeft':
      return { row, column: Math.max(0, column - 1) };
    case 'ArrowRight':
      return { row, column: Math.min(layout.columns, column + 1) };
    case 'ArrowUp':
      return { row: Math.max(0, row - 1), column };
    case 'ArrowDown':
      return { row: Math.min(layout.rows.length - 1, row + 1), column };
    case 'Home':
      return { row, column: 0 };
    case 'End':
      return { row, column: layout.columns };
    default:
      return null;
  }
}

function openPicker(): void {
  dropFocusWish();
  setEditor({ pickerOpen: true });
}

function goTo(cell: Cell, layout: ScoreLayout, extend: boolean): void {
  setCursor(cell);
  const block = blockAt(layout, cell);
  if (block === undefined) {
    if (!extend) select(null);
  } else select({ kind: 'op', id: block.operation.id, others: extend ? selectedIds(state()) : [] });
}

function selectAll({ blocks }: ScoreLayout): void {
  const [id, ...others] = blocks.map(({ operation }) => operation.id);
  if (id !== undefined) select({ kind: 'op', id, others });
}

/** Ends the edge being drawn; else opens the fields of a block, or the palette at an empty cell. */
function enter(layout: ScoreLayout): void {
  const { edgeFrom } = editor();
  const cursor = cursorNow();
  const block = blockAt(layout, cursor);
  if (edgeFrom !== null && edgeFrom !== block?.operation.id) {
    setEditor({ edgeFrom: null });
    void edgeTo(edgeFrom, cursor);
  } else if (block === undefined) openPicker();
  else {
    select({ kind: 'op', id: block.operation.id });
    focusFields();
  }
}

function letGo(): void {
  if (editor().edgeFrom !== null) setEditor({ edgeFrom: null });
  else select(null);
}
