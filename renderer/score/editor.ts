/** State of the editor itself: clipboard, the edge being drawn, the dragged item. None of it belongs to a document. */
import { create } from 'zustand';
import type { Clipboard } from '../../core/experiment/edit/clipboard.ts';
import { recall, remember } from '../store/settings.ts';
import { showSide } from '../store/sidePanels.ts';
import { whenSettled } from '../store/store.ts';
import type { Cell } from '../store/types.ts';

/** Time for a dialog to return its focus first. */
const afterDialogMs = 60;

/** Focuses the first field in the inspector when it is drawn. */
export function focusFields(): void {
  dropFocusWish();
  showSide('right');
  setTimeout(() => whenSettled(focusFirst), afterDialogMs);
}

const focusFirst = (): void =>
  document.querySelector<HTMLElement>('[data-fields] input, [data-fields] select, [data-fields] textarea')?.focus();

/** Ways to show the experiment. */
export const scoreViews = ['score', 'json', 'code'] as const;
export type ScoreView = (typeof scoreViews)[number];

interface EditorState {
  /** Id of the operation that an event edge is being drawn from; null if no edge is drawn. */
  readonly edgeFrom: string | null;
  /** The cell under the dragged item. */
  readonly dropCell: Cell | null;
  /** Null before anything was copied. It outlives its document. */
  readonly clipboard: Clipboard | null;
  /** The block whose edge is being dragged, and its new value. */
  readonly resizing: { readonly id: string; readonly text: string } | null;
  readonly pickerOpen: boolean;
  readonly view: ScoreView;
  /** Shows the program's code next to the score. Kept between visits. */
  readonly codeBeside: boolean;
}

export const useEditor = create<EditorState>()(() => ({
  edgeFrom: null,
  dropCell: null,
  clipboard: null,
  resizing: null,
  pickerOpen: false,
  view: 'score',
  codeBeside: recall('code-beside') === 'yes',
}));

export const editor = (): EditorState => useEditor.getState();
export const setEditor = (fields: Partial<EditorState>): void => useEditor.setState(fields);

export function showCodeBeside(codeBeside: boolean): void {
  remember('code-beside', codeBeside ? 'yes' : 'no');
  setEditor({ codeBeside, ...(codeBeside ? { view: 'score' } : {}) });
}

/** The score takes the focus whenever it is redrawn. A slow machine draws late, so no timeout ends this. */
let focusWished = false;
let isWatching = false;

/** Focuses the cursor's cell, now and after each redraw, until something else gets the focus. */
export function wishFocus(): void {
  watch();
  focusWished = true;
  // Focusing a focused cell would force a layout, and searching for it takes longer than most edits.
  if (isCursor(document.activeElement)) return;
  document.querySelector<HTMLElement>('[data-cursor]')?.focus();
}

export function dropFocusWish(): void {
  focusWished = false;
}

export const isFocusWished = (): boolean => focusWished;

const isCursor = (target: unknown): boolean => target instanceof Element && target.hasAttribute('data-cursor');

function watch(): void {
  if (isWatching) return;
  isWatching = true;
  // A pressed element may not take the focus: the timeline leaves it to the page.
  window.addEventListener('pointerdown', dropFocusWish, true);
  window.addEventListener('focusin', ({ target }) => isCursor(target) || dropFocusWish(), true);
}
