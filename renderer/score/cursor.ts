/** The cell that keys act on. It follows the selection. */
import { useEffect } from 'react';
import { currentExperiment, pageDocumentKey } from '../store/select.ts';
import { assign, beforeNextFrame, state, watch } from '../store/store.ts';
import type { Cell } from '../store/types.ts';
import { setEditor } from './editor.ts';
import { blockHolding, scoreLayout } from './scoreLayout.ts';
import { selectedOp } from './selectedOp.ts';

/** The cursor has not yet followed a change of selection, since that takes a layout of the score. */
let isBehind = false;

/** Returns the cursor for actions. Components read the store's, which is right whenever they draw. */
export function cursorNow(): Cell {
  catchUp();
  return state().cursor;
}

export function setCursor(cursor: Cell): void {
  isBehind = false;
  assign({ cursor });
}

/** Moves the cursor to the selection in the frame that draws it. */
export function useCursorFollowsSelection(): void {
  useEffect(() => {
    restart();
    follow();
    return watch((now, before) => {
      const isOther = pageDocumentKey(now) !== pageDocumentKey(before);
      if (isOther) restart();
      const isSame = currentExperiment(now) === currentExperiment(before) && selectedOp(now) === selectedOp(before);
      if (isOther || !isSame) follow();
    });
  }, []);
}

/** Moves the cursor to the first cell of a new document. */
function restart(): void {
  setEditor({ edgeFrom: null });
  setCursor({ row: 0, column: 0 });
}

function follow(): void {
  isBehind = true;
  beforeNextFrame(catchUp);
}

function catchUp(): void {
  if (!isBehind) return;
  isBehind = false;
  const [experiment, op] = [currentExperiment(state()), selectedOp(state())];
  if (experiment === null || op === null) return;
  const block = blockHolding(scoreLayout(experiment), op);
  const { cursor } = state();
  const isThere = block === undefined || (block.row === cursor.row && block.column === cursor.column);
  if (!isThere) setCursor({ row: block.row, column: block.column });
}
